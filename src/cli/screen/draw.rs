//! How the frame is drawn: title, list, detail, what the last key did, and the keys.

use super::fit::{CHOSEN, FAINT, STRONG, columns, cut, pad, plain, span};
use super::frame::{Frame, Key, List, Program, Typing, View};
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
        let view = self.program.view(width);
        let room = usize::from(area.height).saturating_sub(5);
        // The list is seldom long, and only what is seen of it is made.
        let list = self.program.list().map(|list| {
            let rows = list.items.len().max(1).min((room * 2 / 5).max(ROWS)).min(room);
            let from = list.at.saturating_sub(rows / 2).min(list.items.len().saturating_sub(rows));
            let List { items, at, filter } = list;
            let seen = items.iter().copied().enumerate().skip(from).take(rows);
            (rows, seen.collect::<Vec<_>>(), *at, filter.clone())
        });
        let around = u16::from(list.is_some());
        let rows = list.as_ref().map_or(0, |(rows, ..)| u16::try_from(*rows).unwrap_or(u16::MAX));
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
        let [left, right] = &view.title;
        screen.render_widget(span(&both_ends(left, right, width), CHOSEN), title);
        if let Some((_, seen, at, filter)) = list {
            let filter = match filter.as_str() {
                "" => String::new(),
                words => cut(&format!("filter: {words} "), width / 2),
            };
            let line = both_ends(&view.heading, &filter, width);
            screen.render_widget(span(&line, STRONG), heading);
            screen.render_widget(self.rows(&view, &seen, at, width), list_area);
            let text = cut(&view.rule, width);
            let rest = "─".repeat(width.saturating_sub(columns(&text)));
            screen.render_widget(span(&(text + &rest), STRONG), rule);
        }
        let height = usize::from(detail.height);
        let most = view.detail.len().saturating_sub(height);
        self.stage.most = most;
        let above = self.stage.above();
        let shown: Vec<Line<'_>> = view.detail.into_iter().skip(above).take(height).collect();
        screen.render_widget(Text::from(shown), detail);
        let said: Vec<String> =
            [view.status, self.stage.message.clone()].into_iter().flatten().collect();
        let hidden = match (above, most - above) {
            (0, 0) => String::new(),
            (above, below) => cut(&format!("page up {above}, page down {below} "), width),
        };
        let said = pad(&format!(" {}", said.join(" · ")), width.saturating_sub(columns(&hidden)));
        let line = Line::from(vec![span(&said, STRONG), span(&hidden, FAINT)]);
        screen.render_widget(line, message);
        self.draw_foot(screen, foot);
    }

    /// Rows of the list, with their places in it.
    fn rows(&self, view: &View, seen: &[(usize, usize)], at: usize, width: usize) -> Text<'static> {
        if seen.is_empty() {
            return Text::from(format!("   {}", view.nothing));
        }
        let row = |(place, item): &(usize, usize)| {
            let text = self.program.row(*item);
            Line::from(if *place == at {
                span(&pad(&format!(" > {text}"), width), CHOSEN)
            } else {
                plain(&pad(&format!("   {text}"), width))
            })
        };
        seen.iter().map(row).collect()
    }

    fn draw_foot(&self, screen: &mut ratatui::Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        let Some(Typing { question, line, .. }) = &self.stage.typing else {
            screen.render_widget(self.keys_line(width), area);
            return;
        };
        let question = cut(question, width);
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
        let is_shown = |row: &&Key| !row.word.is_empty() && self.program.offers(row.act);
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

fn both_ends(left: &str, right: &str, width: usize) -> String {
    let right = cut(right, width);
    pad(left, width.saturating_sub(columns(&right))) + &right
}

fn help(keys: &[Key], width: usize) -> Text<'static> {
    let widest = |part: fn(&Key) -> &'static str| {
        keys.iter().map(|row| columns(part(row))).max().unwrap_or(0)
    };
    let (names, abouts) = (widest(|row| row.name) + 1, widest(|row| row.about) + 2);
    // Commands stand beside what keys do, or nowhere.
    let has_room = width > names + abouts + widest(|row| row.command);
    let head = Line::from(span(&pad(" keys; press any key to go back", width), CHOSEN));
    let row = |row: &Key| {
        let name = span(&format!(" {}", pad(row.name, names)), STRONG);
        Line::from(if has_room {
            vec![name, plain(&pad(row.about, abouts)), span(row.command, FAINT)]
        } else {
            vec![name, plain(&cut(row.about, width.saturating_sub(names + 1)))]
        })
    };
    std::iter::once(head).chain(keys.iter().map(row)).collect()
}
