//! Puts the meter into a parsed expression, and refuses what could only fail.

use super::meter::{LOOP, MATCHES, MOMENT, SPEND, TOUCH};
use super::{Pattern, SyntaxError};
use cel::Program;
use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators,
};

/// How deep an expression may be nested: its evaluation recurses.
const DEEPEST: usize = 64;
/// How many loops may stand within each other.
const LOOPS: usize = 5;

/// The functions an expression may call, besides operators and macros.
const FUNCTIONS: &str = "bool bytes contains double duration dyn endsWith getDate getDayOfMonth getDayOfWeek \
    getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds int matches size startsWith \
    string timestamp type uint";

/// The names of types, which stand where variables can.
const TYPES: &str = "bool bytes double duration int list map null_type string timestamp uint";

fn is_among(name: &str, names: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

pub(super) struct Rewritten {
    pub(super) ast: IdedExpr,
    pub(super) patterns: Vec<Pattern>,
    pub(super) uses: Vec<String>,
}

/// Rewrites a program, or tells everything that is wrong with it.
pub(super) fn rewrite(
    program: &Program,
    text: &str,
    variables: &[&str],
) -> Result<Rewritten, Vec<SyntaxError>> {
    let mut rewriter = Rewriter {
        program,
        text,
        variables,
        scope: Vec::new(),
        patterns: Vec::new(),
        uses: Vec::new(),
        errors: Vec::new(),
    };
    let ast = rewriter.node(program.expression(), DEEPEST);
    if !rewriter.errors.is_empty() {
        rewriter.errors.sort_by_key(|error| (error.at.start, error.message.clone()));
        rewriter.errors.dedup();
        return Err(rewriter.errors);
    }
    Ok(Rewritten { ast, patterns: rewriter.patterns, uses: rewriter.uses })
}

struct Rewriter<'a> {
    program: &'a Program,
    text: &'a str,
    variables: &'a [&'a str],
    /// The variables of the loops around the node, innermost last.
    scope: Vec<String>,
    patterns: Vec<Pattern>,
    uses: Vec<String>,
    errors: Vec<SyntaxError>,
}

impl Rewriter<'_> {
    fn node(&mut self, node: &IdedExpr, room: usize) -> IdedExpr {
        let Some(room) = room.checked_sub(1) else {
            let message = format!("the expression is nested deeper than {DEEPEST} levels");
            self.error(node.id, message, 1);
            return IdedExpr { id: node.id, expr: Expr::Literal(LiteralValue::Null) };
        };
        let expr = match &node.expr {
            Expr::Literal(literal) => Expr::Literal(literal.clone()),
            Expr::Ident(name) => {
                self.name(node.id, name);
                Expr::Ident(name.clone())
            }
            Expr::Select(select) => {
                let mut select = select.clone();
                select.operand = Box::new(self.node(&select.operand, room));
                Expr::Select(select)
            }
            Expr::Call(call) => self.call(node.id, call, room),
            Expr::Comprehension(comprehension) => self.comprehension(node.id, comprehension, room),
            Expr::List(list) => {
                let mut list = list.clone();
                for element in &mut list.elements {
                    *element = paying(SPEND, self.node(element, room));
                }
                Expr::List(list)
            }
            Expr::Map(map) => {
                let mut map = map.clone();
                for entry in &mut map.entries {
                    if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                        entry.key = paying(SPEND, self.node(&entry.key, room));
                        entry.value = paying(SPEND, self.node(&entry.value, room));
                    }
                }
                Expr::Map(map)
            }
            Expr::Struct(made) => {
                let name = &made.type_name;
                let message = format!("unknown type `{name}`");
                self.error(node.id, message, name.len());
                Expr::Literal(LiteralValue::Null)
            }
            Expr::Unspecified => {
                self.error(node.id, "something is missing here".to_owned(), 1);
                Expr::Literal(LiteralValue::Null)
            }
        };
        IdedExpr { id: node.id, expr }
    }

    fn name(&mut self, id: u64, name: &str) {
        let known = name.starts_with('@')
            || is_among(name, TYPES)
            || self.scope.iter().any(|known| known == name);
        if known {
            return;
        }
        if self.variables.contains(&name) {
            if !self.uses.iter().any(|used| used == name) {
                self.uses.push(name.to_owned());
            }
            return;
        }
        let known = self.variables.join(", ");
        self.error(id, format!("unknown variable `{name}`; known here are {known}"), name.len());
    }

    fn call(&mut self, id: u64, call: &CallExpr, room: usize) -> Expr {
        let name = call.func_name.as_str();
        if name == "matches" {
            return self.matches(id, call, room);
        }
        let is_operator = !name.starts_with(|first: char| first.is_ascii_alphabetic());
        if !is_operator && !is_among(name, FUNCTIONS) {
            self.error(id, format!("unknown function `{name}`"), name.len());
        }
        let target = call.target.as_ref().map(|target| self.node(target, room));
        let args: Vec<IdedExpr> = call.args.iter().map(|arg| self.node(arg, room)).collect();
        // What only chooses or looks inside does not copy and does not compare.
        let pay = match name {
            operators::CONDITIONAL
            | operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::LOGICAL_NOT
            | operators::NOT_STRICTLY_FALSE
            | operators::INDEX => None,
            "size" => Some(TOUCH),
            _ => Some(SPEND),
        };
        let paying = |node| match pay {
            Some(function) => paying(function, node),
            None => node,
        };
        let (target, mut args): (Option<IdedExpr>, Vec<IdedExpr>) =
            (target.map(paying), args.into_iter().map(paying).collect());
        if name == "timestamp"
            && target.is_none()
            && let [_] = args.as_slice()
        {
            args = vec![global(MOMENT, args)];
        }
        Expr::Call(CallExpr { func_name: name.to_owned(), target: target.map(Box::new), args })
    }

    /// `text.matches('pattern')`: the pattern is compiled here, once.
    fn matches(&mut self, id: u64, call: &CallExpr, room: usize) -> Expr {
        let operands: Vec<&IdedExpr> =
            call.target.as_deref().into_iter().chain(&call.args).collect();
        let [text, pattern] = operands.as_slice() else {
            self.error(id, "`matches` takes a text and a pattern".to_owned(), 1);
            return Expr::Literal(LiteralValue::Null);
        };
        let text = self.node(text, room);
        let Expr::Literal(LiteralValue::String(source)) = &pattern.expr else {
            let message = "the pattern of `matches` must be written out here".to_owned();
            self.error(pattern.id, message, 1);
            return Expr::Literal(LiteralValue::Null);
        };
        match Pattern::compile(source.inner()) {
            Ok(compiled) => self.patterns.push(compiled),
            Err(reason) => {
                self.error(pattern.id, format!("this pattern cannot be used: {reason}"), 1);
            }
        }
        let at = i64::try_from(self.patterns.len()).unwrap_or(i64::MAX) - 1;
        let call = global(MATCHES, vec![text, number(at)]);
        call.expr
    }

    fn comprehension(&mut self, id: u64, loops: &ComprehensionExpr, room: usize) -> Expr {
        let range = self.node(&loops.iter_range, room);
        let accu_init = self.node(&loops.accu_init, room);
        self.scope.push(loops.iter_var.clone());
        self.scope.extend(loops.iter_var2.clone());
        // Only names of loops are in scope, and a loop has one or two.
        if self.scope.len() > LOOPS {
            self.error(id, format!("more than {LOOPS} nested loops"), 1);
        }
        let loop_cond = self.node(&loops.loop_cond, room);
        let loop_step = self.node(&loops.loop_step, room);
        let result = self.node(&loops.result, room);
        let names = 1 + usize::from(loops.iter_var2.is_some());
        self.scope.truncate(self.scope.len() - names);
        let body = i64::try_from(nodes(&loop_step) + nodes(&loop_cond)).unwrap_or(i64::MAX);
        Expr::Comprehension(Box::new(ComprehensionExpr {
            iter_range: global(LOOP, vec![range, number(body)]),
            iter_var: loops.iter_var.clone(),
            iter_var2: loops.iter_var2.clone(),
            accu_var: loops.accu_var.clone(),
            accu_init,
            loop_cond,
            loop_step,
            result,
        }))
    }

    fn error(&mut self, id: u64, message: String, width: usize) {
        let offset = self.program.source_info().offset_for(id).map_or(0, |(start, _)| start);
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.text.len());
        let start = self.text.floor_char_boundary(offset);
        let end = self.text.ceil_char_boundary((start + width).min(self.text.len()));
        self.errors.push(SyntaxError { at: start..end, message });
    }
}

fn global(function: &str, args: Vec<IdedExpr>) -> IdedExpr {
    let call = CallExpr { func_name: function.to_owned(), target: None, args };
    IdedExpr { id: 0, expr: Expr::Call(call) }
}

fn number(value: i64) -> IdedExpr {
    IdedExpr { id: 0, expr: Expr::Literal(LiteralValue::Int(value.into())) }
}

/// The node with its value paid for, unless it costs nothing to speak of.
fn paying(function: &str, node: IdedExpr) -> IdedExpr {
    let is_cheap = match &node.expr {
        Expr::Literal(_) | Expr::List(_) | Expr::Map(_) => true,
        // Only loops have such names; what they gather is paid for where it is added.
        Expr::Ident(name) => name.starts_with('@'),
        _ => false,
    };
    if is_cheap { node } else { global(function, vec![node]) }
}

/// How many nodes there are, without the bodies of inner loops, which pay for themselves.
fn nodes(node: &IdedExpr) -> usize {
    1 + match &node.expr {
        Expr::Call(call) => {
            call.target.as_deref().into_iter().chain(&call.args).map(nodes).sum::<usize>()
        }
        Expr::Select(select) => nodes(&select.operand),
        Expr::List(list) => list.elements.iter().map(nodes).sum(),
        Expr::Map(map) => map
            .entries
            .iter()
            .map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => nodes(&entry.key) + nodes(&entry.value),
                EntryExpr::StructField(field) => nodes(&field.value),
            })
            .sum(),
        Expr::Comprehension(inner) => nodes(&inner.iter_range) + nodes(&inner.result),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => 0,
    }
}
