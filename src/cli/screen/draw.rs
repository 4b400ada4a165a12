//! How the frame is drawn: title, list, detail, what the last key did, and the keys.

use super::fit::{CHOSEN, FAINT, STRONG, columns, cut, pad, plain, span};
use super::frame::List;
use super::frame::{Act, Key};
use super::frame::{Frame, Program, Typing};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::text::{Line, Text};

/// Rows of the list at least, where there are as many to show.
const ROWS: usize = 3;

/// Whether the environment asks for no colours, see <https://no-color.org>.
pub(super) fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

impl<P: Program> Frame<P> {
    pub(in crate::cli) fn draw(&mut self, screen: &mut ratatui::Frame<'_>, has_colours: bool) {
        let area = screen.area();
        if self.stage.help {
            screen.render_widget(help(P::KEYS, usize::from(area.width)), area);
        } else {
            self.draw_parts(screen, area);
        }
        if !has_colours {
            for cell in &mut screen.buffer_mut().content {
                (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
            }
        }
    }

    fn draw_parts(&mut self, screen: &mut ratatui::Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        let list = self.program.list();
        let around = u16::from(list.is_some());
        let room = usize::from(area.height).saturating_sub(5);
        let rows = list
            .map_or(0, |list| list.items().len().max(1).min((room * 2 / 5).max(ROWS)).min(room));
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        let heights = [
            Constraint::Length(1),
            Constraint::Length(around),
            Constraint::Length(rows),
            Constraint::Length(around),
            Constraint::Min(0),
            Constraint::Length(1),
            Constraint::Length(1),
        ];
        let [title, heading, list_area, rule, detail, message, foot] =
            Layout::vertical(heights).areas(area);
        screen.render_widget(self.title_line(width), title);
        if let Some(list) = list {
            screen.render_widget(self.heading_line(list, width), heading);
            screen.render_widget(self.rows(list, width, usize::from(rows)), list_area);
            screen.render_widget(self.rule_line(width), rule);
        }
        let lines = self.program.detail(width);
        let height = usize::from(detail.height);
        let most = lines.len().saturating_sub(height);
        self.stage.scroll_at_most(most);
        let above = self.stage.above();
        let shown: Vec<Line<'_>> = lines.into_iter().skip(above).take(height).collect();
        screen.render_widget(Text::from(shown), detail);
        screen.render_widget(self.message_line(width, most - above), message);
        self.draw_foot(screen, foot);
    }

    fn title_line(&self, width: usize) -> Line<'static> {
        let [left, right] = self.program.title();
        let right = cut(&right, width);
        let left = pad(&left, width.saturating_sub(columns(&right)));
        span(&(left + &right), CHOSEN).into()
    }

    fn heading_line(&self, list: &List, width: usize) -> Line<'static> {
        let filter = match list.filter.as_str() {
            "" => String::new(),
            words => cut(&format!("filter: {words} "), width / 2),
        };
        let heading = pad(&self.program.heading(), width.saturating_sub(columns(&filter)));
        span(&(heading + &filter), STRONG).into()
    }

    fn rows(&self, list: &List, width: usize, height: usize) -> Text<'static> {
        let (at, count) = (list.at(), list.items().len());
        if count == 0 {
            return Text::from(format!("   {}", self.program.nothing()));
        }
        // The chosen one stays in the middle, as far as the ends allow.
        let from = at.saturating_sub(height / 2).min(count.saturating_sub(height));
        let rows = list.items().iter().enumerate().skip(from).take(height);
        let row = |(row, item): (usize, &usize)| {
            let text = self.program.row(*item);
            Line::from(if row == at {
                span(&pad(&format!(" > {text}"), width), CHOSEN)
            } else {
                plain(&pad(&format!("   {text}"), width))
            })
        };
        rows.map(row).collect()
    }

    fn rule_line(&self, width: usize) -> Line<'static> {
        let text = cut(&self.program.rule(), width);
        let rest = "─".repeat(width.saturating_sub(columns(&text)));
        span(&(text + &rest), STRONG).into()
    }

    fn message_line(&self, width: usize, below: usize) -> Line<'static> {
        let [before, after] = self.program.status();
        let parts: Vec<String> =
            [before, self.stage.message.clone(), after].into_iter().flatten().collect();
        let hidden = match (self.stage.above(), below) {
            (0, 0) => String::new(),
            (above, below) => cut(&format!("page up {above}, page down {below} "), width),
        };
        let parts = pad(&format!(" {}", parts.join(" · ")), width.saturating_sub(columns(&hidden)));
        vec![span(&parts, STRONG), span(&hidden, FAINT)].into()
    }

    fn draw_foot(&self, screen: &mut ratatui::Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        let Some((typing, line)) = &self.stage.typing else {
            screen.render_widget(self.keys_line(width), area);
            return;
        };
        let question = match typing {
            Typing::Filter(_) => "show only: ".to_owned(),
            Typing::Own(ask) => self.program.question(ask),
        };
        let question = cut(&question, width);
        // Of a long line the end is shown, where the next character goes.
        let line = plain(line).content;
        let room = width.saturating_sub(columns(&question) + 1);
        let mut start = 0;
        while columns(&line[start..]) > room {
            start += line[start..].chars().next().map_or(1, char::len_utf8);
        }
        let end = u16::try_from(columns(&question) + columns(&line[start..]));
        let spans = vec![span(&question, STRONG), plain(&line[start..])];
        screen.render_widget(Line::from(spans), area);
        let x = area.x.saturating_add(end.unwrap_or(u16::MAX));
        screen.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
    }

    fn keys_line(&self, width: usize) -> Line<'static> {
        let is_shown = |row: &&Key<P::Act>| {
            let offered = |act| self.program.offers(act);
            !row.word.is_empty() && !matches!(row.act, Act::Own(act) if !offered(act))
        };
        let rows: Vec<_> = P::KEYS.iter().filter(is_shown).collect();
        let length: usize = rows.iter().map(|row| row.name.len() + row.word.len() + 3).sum();
        let gap = if length <= width + 2 { "  " } else { " " };
        let mut spans = Vec::new();
        for row in rows {
            let before = if spans.is_empty() { "" } else { gap };
            spans.extend([plain(before), span(row.name, STRONG), plain(&format!(" {}", row.word))]);
        }
        spans.into()
    }
}

fn help<A>(keys: &[Key<A>], width: usize) -> Text<'static> {
    let widest = |part: fn(&Key<A>) -> &'static str| {
        keys.iter().map(|row| columns(part(row))).max().unwrap_or(0)
    };
    let (names, abouts) = (widest(|row| row.name) + 1, widest(|row| row.about) + 2);
    // Commands stand beside what keys do, or nowhere.
    let has_room = width > names + abouts + widest(|row| row.command);
    let head = Line::from(span(&pad(" keys; press any key to go back", width), CHOSEN));
    let row = |row: &Key<A>| {
        let name = span(&format!(" {}", pad(row.name, names)), STRONG);
        Line::from(if has_room {
            vec![name, plain(&pad(row.about, abouts)), span(row.command, FAINT)]
        } else {
            vec![name, plain(&cut(row.about, width.saturating_sub(names + 1)))]
        })
    };
    std::iter::once(head).chain(keys.iter().map(row)).collect()
}
