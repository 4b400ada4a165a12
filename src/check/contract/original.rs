//! The object that a call changes, as earlier replies of its session showed it.

use super::Contract;
use crate::check::Checks;
use crate::check::payload::{id_of, with_response};
use crate::json::Raw;
use crate::recording::{Exchange, ExchangeKind};
use std::borrow::Cow;

/// The member of an object that names it.
const ID: &str = "id";

impl Checks {
    /// Whether a contract asks for the objects that calls change.
    #[must_use]
    pub fn ask_for_originals(&self) -> bool {
        self.contracts.iter().any(|contract| contract.arguments().next().is_some())
    }

    #[must_use]
    pub fn original_id<'e>(&self, exchange: &'e Exchange<'_>) -> Option<Cow<'e, str>> {
        let tool = exchange.tool.name.as_str();
        let argument = self.contract_for(exchange)?.tool(tool)?.original.as_deref()?;
        id_of(exchange.input.as_ref()?.raw().member(argument)?)
    }

    /// The objects that a reply shows, with their ids.
    pub fn shown_objects(&self, exchange: &Exchange<'_>, mut shown: impl FnMut(&str, Raw<'_>)) {
        let Some(contract) = self.contract_for(exchange) else { return };
        if contract.arguments().next().is_none() {
            return;
        }
        with_response(exchange, |response| {
            let mut show = |object: Raw<'_>| {
                if let Some(id) = object.member(ID).and_then(id_of) {
                    shown(&id, object);
                }
            };
            show(response);
            for (_, member) in response.members().unwrap_or_default() {
                show(member);
                member.elements().unwrap_or_default().into_iter().for_each(&mut show);
            }
        });
    }

    fn contract_for(&self, exchange: &Exchange<'_>) -> Option<&Contract> {
        let is_call = exchange.kind == ExchangeKind::ToolCall;
        let found = is_call.then(|| self.contract_of(&exchange.server, &exchange.tool.name));
        found.flatten().map(|(_, contract)| contract)
    }
}

impl Contract {
    /// The arguments that name the objects which tools change.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter_map(|tool| tool.original.as_deref())
    }
}
