use super::{Kind, Raw};

/// Where a document keeps a list, so that it can be read element by element.
#[derive(Debug, PartialEq, Eq)]
pub struct ListPath {
    /// The members that lead to it.
    pub members: &'static [&'static str],
    /// The members that lead to what stands beside it and is wanted as well.
    pub beside: &'static [&'static str],
    pub beside_kind: Kind,
}

impl ListPath {
    pub fn find<'a>(&self, document: Raw<'a>) -> Option<Raw<'a>> {
        let list =
            self.members.iter().try_fold(document, |holder, member| holder.member(member))?;
        (list.kind() == Kind::Array).then_some(list)
    }
}
