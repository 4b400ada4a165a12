//! What happened, in one screen.

use super::counted::Trouble;
use super::earlier::{Against, Compared};
use super::markup::{Html, Tag, tag};
use super::shown::Showing;
use super::trends::change_words;
use super::words::{
    Align, are, bar, card, cell, class_words, filtered, head, more, number, percent, points, share,
    style,
};
use super::{Page, read::IssueTally};
use crate::compare::show::{cause_words, transition};
use crate::compare::{Answer, Comparison, Kind};
use crate::verdict::{Classification, counted, cut, grouped};

/// So many of the worst servers and tools are shown.
const WORST: usize = 7;
/// So many changes that last are shown.
const OPEN: usize = 4;
/// So many kinds of error are shown.
const FEW: usize = 5;
/// So many causes of changes are shown, and so many characters of each.
const CAUSES: usize = 3;
const LONGEST_CAUSE: usize = 90;

pub(super) fn first_screen(page: &Page, showing: &Showing) -> Tag {
    let mut cards: Vec<Tag> = vec![classes(page)];
    cards.extend(answers(page));
    cards.extend(page.against.as_ref().map(|against| changed(page, against, showing)));
    cards.extend(open_changes(page, showing));
    cards.extend(worst(page, showing));
    cards.extend(issue_types(page, showing));
    tag("section")
        .set("id", "tonight")
        .set("aria-labelledby", "verdict")
        .put(verdict(page, showing))
        .put(tag("div").class("cards").all(cards))
}

fn verdict(page: &Page, showing: &Showing) -> Tag {
    let (headline, rest) = sentences(page);
    let manifest = &page.run.manifest;
    let inputs: Vec<&str> = manifest.wall.inputs.iter().map(String::as_str).collect();
    let when = manifest.wall.started_at.replace('T', " ").replace('Z', " UTC");
    let mut parts = vec![
        when,
        format!("rulebook {}", manifest.comparable.rulebook.name),
        showing.words(&inputs.join(" ")).as_ref().to_owned(),
    ];
    parts.retain(|part| !part.is_empty());
    let eyebrow =
        tag("p").class("eyebrow").all(parts.into_iter().map(|part| tag("span").text(part)));
    let rest = (!rest.is_empty()).then(|| tag("p").class("lead").text(rest.join(" ")));
    tag("div")
        .class("verdict")
        .put(eyebrow)
        .put(tag("h1").set("id", "verdict").text(headline))
        .maybe(rest)
}

/// The verdict in one sentence, and what else is worth knowing.
pub(super) fn sentences(page: &Page) -> (String, Vec<String>) {
    let classes = page.run.cells.classes();
    let total: u64 = classes.values().sum();
    let of = |class: Classification| classes.get(&class).copied().unwrap_or(0);
    let working = of(Classification::FullyWorking);
    let below: Vec<(Classification, u64)> = Classification::ALL
        .into_iter()
        .rev()
        .filter(|class| *class != Classification::FullyWorking)
        .map(|class| (class, of(class)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let describe = |(class, count): &(Classification, u64)| {
        let what = match class {
            Classification::FullyWorking => "fully working",
            Classification::PartiallyWorking => "partially working",
            Classification::ConnectivityOnly => "no more than connected",
            Classification::Error => "failing with an error",
            Classification::Broken => "broken",
        };
        format!("{} {} {what}", grouped(*count), are(*count))
    };
    let headline = match (total, below.first()) {
        (0, _) => "No exchange was found to judge.".to_owned(),
        (1, None) => "The only exchange is fully working.".to_owned(),
        (1, Some((class, _))) => format!("The only exchange is {}.", class_words(*class)),
        (_, None) => format!("All {} exchanges are fully working.", grouped(total)),
        (_, Some(worst)) => format!(
            "{} of {} exchanges are fully working; {}.",
            percent(share(working, total)),
            grouped(total),
            describe(worst)
        ),
    };
    let mut rest = Vec::new();
    if total > 1 && below.len() > 1 {
        let others: Vec<String> = below[1..].iter().map(describe).collect();
        rest.push(format!("{}.", others.join(", ")));
    }
    let summary = &page.run.summary;
    let errors = summary.business_logic + summary.tool_failure;
    if errors > 0 {
        rest.push(format!(
            "Of {}, {} {} the tool's own failure and {} refused for a reason.",
            counted(errors, "error"),
            grouped(summary.tool_failure),
            are(summary.tool_failure),
            grouped(summary.business_logic),
        ));
    }
    if summary.hidden_failure > 0 {
        let verbs = if summary.hidden_failure == 1 { "claims" } else { "claim" };
        let replies = if summary.hidden_failure == 1 { "reply" } else { "replies" };
        let hidden = grouped(summary.hidden_failure);
        rest.push(format!("{hidden} {replies} {verbs} success and tell of a failure."));
    }
    (headline, rest)
}

fn classes(page: &Page) -> Tag {
    let counts = page.run.cells.classes();
    let total: u64 = counts.values().sum();
    let before = page.against.as_ref().map(|against| {
        let total: u64 = against.classes.values().sum();
        Classification::ALL.map(|class| share(against.of_class(class.name()), total))
    });
    let mut at = 0.0;
    let parts = counts.iter().map(|(class, count)| {
        let width = share(*count, total) * 100.0;
        let part = tag("rect")
            .class(style(*class))
            .set("x", format!("{at:.2}%"))
            .set("width", format!("{width:.2}%"))
            .set("height", "100%");
        at += width;
        part
    });
    let whole = tag("svg").class("whole").set("aria-hidden", "true").all(parts);
    let rows = counts.iter().map(|(class, count)| {
        let part = share(*count, total);
        let moved = before.and_then(|before| points(before[*class as usize], part));
        let title = class.name();
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("class", title)]))
            .put(tag("i").class(style(*class)).set("aria-hidden", "true"))
            .put(tag("span").class("name").text(class_words(*class)))
            .put(number(*count).set("data-count", format!("class {title}")))
            .put(tag("span").class("share").text(percent(part)))
            .put(tag("span").class("moved").text(moved.unwrap_or_default()));
        let is_none = *count == 0;
        tag("li").class(if is_none { "none" } else { "some" }).put(row)
    });
    card("Classes").put(whole).put(tag("ul").class("rows").all(rows))
}

/// What errors are, and whether replies that claim success hide one.
fn answers(page: &Page) -> Option<Tag> {
    let counts = page.run.cells.answers();
    let asked = [Answer::BusinessLogic, Answer::ToolFailure, Answer::HiddenFailure];
    let total: u64 = asked.iter().filter_map(|answer| counts.get(answer)).sum();
    if total == 0 {
        return None;
    }
    let row = |answer: Answer| {
        let count = counts.get(&answer).copied().unwrap_or(0);
        let (style, what) = match answer {
            Answer::BusinessLogic => ("k0", "business logic"),
            Answer::ToolFailure => ("k4", "tool failure"),
            Answer::HiddenFailure => ("k3", "hidden failure"),
            Answer::NotAsked => ("k2", "not asked"),
        };
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("answer", answer.name())]))
            .put(tag("i").class(style).set("aria-hidden", "true"))
            .put(tag("span").class("name").text(what))
            .put(number(count).set("data-count", format!("answer {}", answer.name())))
            .put(tag("span").class("share").text(percent(share(count, total))));
        tag("li").class(if count == 0 { "none" } else { "some" }).put(row)
    };
    let kinds = page.run.cells.error_kinds();
    let largest = kinds.first().map_or(0, |(_, count)| *count);
    let shown = kinds.iter().take(FEW).map(|(kind, count)| {
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("kind", kind)]))
            .put(tag("span").class("name").text(kind.replace('_', " ")))
            .put(bar(share(*count, largest), "k2"))
            .put(number(*count));
        tag("li").put(row)
    });
    let kinds = (!kinds.is_empty()).then(|| {
        let title = if page.run.summary.hidden_failure > 0 {
            "Kinds of error, hidden failures among them"
        } else {
            "Kinds of error"
        };
        let mut part: Html = tag("h4").text(title).into();
        part.push(tag("ul").class("rows thin").all(shown));
        if let Some(rest) = more(kinds.len().saturating_sub(FEW), "kind", "the table below") {
            part.push(rest);
        }
        part
    });
    let rows = tag("ul").class("rows").all(asked.map(row));
    Some(card("What failures are").put(rows).maybe(kinds))
}

fn changed(page: &Page, against: &Against, showing: &Showing) -> Tag {
    let name = against.called(showing);
    let card =
        card("What changed").put(tag("p").class("note").text(format!("since {}", name.as_ref())));
    match &against.comparison {
        Compared::Equal => card.put(tag("p").text(
            "Nothing: the exchanges, the rulebook, the checks and the program are the same.",
        )),
        Compared::Each(comparison) => each_changed(card, comparison, showing),
        Compared::Counts => {
            let now = &page.run.summary;
            let rows = now.classes.iter().filter_map(|(name, after)| {
                let before = against.of_class(name);
                let row = || {
                    tag("tr")
                        .put(tag("th").set("scope", "row").text(name.replace('_', " ")))
                        .put(cell(Align::Right).text(grouped(before)))
                        .put(cell(Align::Right).text(grouped(*after)))
                };
                (before != *after).then(row)
            });
            let rows: Vec<Tag> = rows.collect();
            if rows.is_empty() {
                return card
                    .put(tag("p").text("No class has more or fewer exchanges than before."));
            }
            let columns = [("class", Align::Left), ("before", Align::Right), ("now", Align::Right)];
            card.put(tag("table").put(head(&columns)).put(tag("tbody").all(rows)))
        }
    }
}

fn each_changed(card: Tag, comparison: &Comparison, showing: &Showing) -> Tag {
    let kinds = [
        (Kind::Regressed, "got worse", "worse"),
        (Kind::Fixed, "got better", "better"),
        (Kind::Altered, "judged for other reasons", "other"),
        (Kind::Added, "new", "other"),
        (Kind::Gone, "gone", "other"),
    ];
    let tiles = kinds.into_iter().filter_map(|(kind, words, style)| {
        let count = comparison.kind(kind);
        let is_shown = count > 0 || matches!(kind, Kind::Regressed | Kind::Fixed);
        let style = if count == 0 { "none" } else { style };
        let tile = || {
            tag("li")
                .class(style)
                .put(tag("strong").text(grouped(count)))
                .put(tag("span").text(words))
        };
        is_shown.then(tile)
    });
    let groups = comparison.groups.iter().take(CAUSES).map(|group| {
        let causes = showing.words(&cause_words(group).join("; "));
        let causes = cut(&causes.as_ref().replace("->", "→"), LONGEST_CAUSE);
        tag("li").put(tag("a").set("href", format!("#group-{}", group.id)).text(causes)).put(
            tag("span").class("note").text(format!(
                "{}: {}",
                counted(group.exchanges, "exchange"),
                arrow(&transition(group.from, group.to))
            )),
        )
    });
    let groups = tag("ol").class("causes").all(groups);
    let has_groups = !comparison.groups.is_empty();
    card.put(tag("ul").class("tiles").all(tiles)).maybe(has_groups.then_some(groups))
}

/// The arrow as people see it.
pub(super) fn arrow(words: &str) -> String {
    words.replace("->", "→").replace('_', " ")
}

/// What became worse some nights ago and still is.
fn open_changes(page: &Page, showing: &Showing) -> Option<Tag> {
    let mut rows = Vec::new();
    for trend in &page.trends {
        for series in &trend.series {
            let open = series.changes.iter().filter(|it| it.is_open() && it.worse == Some(true));
            rows.extend(open.map(|change| {
                let name = showing.name(&series.name).as_ref().replace('_', " ");
                tag("li").put(tag("a").set("href", "#trends").text(name)).put(
                    tag("span").class("note").text(change_words((trend, series), change, showing)),
                )
            }));
        }
    }
    let left_out = rows.len().saturating_sub(OPEN);
    rows.truncate(OPEN);
    (!rows.is_empty()).then(|| {
        card("Worse for some nights").put(tag("ul").class("causes").all(rows)).maybe(more(
            left_out,
            "change",
            "the trends below",
        ))
    })
}

fn worst(page: &Page, showing: &Showing) -> Vec<Tag> {
    let cells = &page.run.cells;
    let is_trouble = |trouble: &Trouble| trouble.trouble > 0;
    let servers = cells.servers();
    let tools = cells.tools();
    let mut cards = Vec::new();
    let with_trouble = servers.iter().filter(|(_, trouble)| is_trouble(trouble)).count();
    if with_trouble > 0 && servers.len() > 1 {
        let rows = servers.iter().take(with_trouble.min(WORST)).map(|(server, trouble)| {
            let name = showing.name(cells.name_of(*server));
            let place = filtered(&[("server", name.as_ref()), ("trouble", "1")]);
            worst_row(place, tag("span").class("name").text(name), *trouble)
        });
        let left_out = with_trouble.saturating_sub(WORST);
        let card = worst_card("Worst servers", rows.collect()).maybe(more(
            left_out,
            "server",
            "the table below",
        ));
        cards.push(card);
    }
    let with_trouble = tools.iter().filter(|(_, trouble)| is_trouble(trouble)).count();
    if with_trouble > 0 {
        let rows = tools.iter().take(with_trouble.min(WORST)).map(|((server, tool), trouble)| {
            let [server, tool] = [*server, *tool].map(|name| showing.name(cells.name_of(name)));
            let filters = [("server", server.as_ref()), ("tool", tool.as_ref()), ("trouble", "1")];
            let of = tag("span").class("of").text(format!(" {}", server.as_ref()));
            let name = tag("span").class("name").text(&tool).put(of);
            worst_row(filtered(&filters), name, *trouble)
        });
        let card = worst_card("Worst tools", rows.collect()).maybe(more(
            with_trouble.saturating_sub(WORST),
            "tool",
            "tools.csv",
        ));
        cards.push(card);
    }
    cards
}

fn worst_row(place: String, name: Tag, trouble: Trouble) -> Tag {
    let counts = format!("{} of {}", grouped(trouble.trouble), grouped(trouble.exchanges));
    let row = tag("a")
        .class("row")
        .set("href", place)
        .put(name)
        .put(tag("span").class("share").text(percent(trouble.share())))
        .put(bar(trouble.share(), "k4"))
        .put(tag("span").class("of").text(counts));
    tag("li").put(row)
}

fn worst_card(title: &str, rows: Vec<Tag>) -> Tag {
    card(title)
        .put(tag("p").class("note").text("the share that failed or does not fully work"))
        .put(tag("ul").class("rows worst").all(rows))
}

fn issue_types(page: &Page, showing: &Showing) -> Option<Tag> {
    let now = &page.run.issue_types.0;
    let earlier = page.against.as_ref().map(|against| &against.known);
    let is_new = |name: &(String, String)| earlier.is_some_and(|known| !known.contains(name));
    let mut types: Vec<(&(String, String), &IssueTally)> = now.iter().collect();
    types.sort_by_key(|(name, tally)| (!is_new(name), std::cmp::Reverse(tally.count), *name));
    let new = types.iter().filter(|(name, _)| is_new(name)).count();
    let gone = earlier.map(|known| known.iter().filter(|name| !now.contains_key(*name)).count());
    if types.is_empty() && gone.unwrap_or(0) == 0 {
        return None;
    }
    let rows = types.iter().take(WORST).map(|(name, tally)| {
        let (severity, kind) = name;
        let words = showing.name(kind).as_ref().replace('_', " ");
        let filter = format!("{severity} {kind}");
        let new = is_new(name).then(|| tag("span").class("tag new").text("new"));
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("issue", showing.name(&filter).as_ref())]))
            .put(tag("span").class("name").text(words).maybe(new))
            .put(tag("span").class("of").text(severity))
            .put(number(tally.count))
            .put(tag("span").class("of").text(counted(tally.servers, "server")));
        tag("li").put(row)
    });
    let title = match new {
        0 => "Issue types",
        _ => "Issue types, new first",
    };
    let gone = gone.filter(|gone| *gone > 0).map(|gone| {
        let gone = u64::try_from(gone).unwrap_or(u64::MAX);
        tag("p").class("note").text(format!("{} no longer found", counted(gone, "type")))
    });
    let none_new =
        (new == 0 && earlier.is_some()).then(|| tag("p").class("note").text("none of them is new"));
    Some(
        card(title)
            .maybe(none_new)
            .put(tag("ul").class("rows thin").all(rows))
            .maybe(more(types.len().saturating_sub(WORST), "type", "issue_types.csv"))
            .maybe(gone),
    )
}
