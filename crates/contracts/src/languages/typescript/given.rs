//! What a function gives back where nothing is annotated: one value, or a choice of several, each as far as it is written
//! there. What a single value is, is told in `value`.

use oxc_ast::ast::{Expression, LogicalOperator};
use std::cell::Cell;

use super::component::Callable;
use super::print::{INFERRED, Print, literal_type};
use super::returned::{ends, returns};
use super::value::{MOST_AROUND, digest, settled};
use super::within::{Locals, Meant, Within, declares};
use crate::brackets::{inside, split};

/// Values that are looked at for the result of one function.
const MOST_STEPS: usize = 500;
/// Values that are read out of a choice.
const MOST_CHOICES: usize = 8;
/// And their texts together.
const LONGEST_CHOICE: usize = 960;

impl Print<'_, '_> {
    /// What a function gives back, where nothing is annotated, as far as it is written there: the members of an object, the
    /// function or the class of what is returned, how many elements a list has that is `as const`; of several objects each.
    pub(super) fn given(self, callable: Callable<'_, '_>, outer: Option<&Within<'_, '_, '_>>) -> String {
        let depth = outer.map_or(0, |outer| outer.depth + 1);
        if callable.is_generator() || depth > MOST_AROUND {
            return INFERRED.to_owned();
        }
        let fuel = Cell::new(MOST_STEPS);
        let within = Within { callable, outer, depth, steps: outer.map_or(&fuel, |outer| outer.steps) };
        let declares = |name: &str, meant: Meant| declares(callable, name, meant);
        let locals = Locals { declares: &declares, outer: self.locals };
        match (Print { locals: Some(&locals), ..self }).chosen_by(&within) {
            Some(told) if told.starts_with(INFERRED) => told,
            Some(told) => format!("{INFERRED} {told}"),
            None => INFERRED.to_owned(),
        }
    }

    /// All that a function gives, at each of its ends.
    pub(super) fn chosen_by(self, within: &Within<'_, '_, '_>) -> Option<String> {
        let callable = within.callable;
        let mut choice = Choice { is_promise: callable.is_async(), ..Choice::default() };
        if let Some(value) = callable.expression() {
            choice.add(self, value, within);
            return choice.told();
        }
        let mut returned = Vec::new();
        for statement in callable.statements() {
            returns(statement, &mut returned);
        }
        if returned.is_empty() {
            return None;
        }
        choice.may_be_undefined = !callable.statements().iter().any(ends);
        for value in returned {
            match value {
                Some(value) => choice.add(self, value, within),
                None => choice.may_be_undefined = true,
            }
        }
        choice.told()
    }

    /// `condition ? { … } : { … }`; `None` where no object is among what may be chosen.
    pub(super) fn chosen(self, value: &Expression<'_>, within: &Within<'_, '_, '_>) -> Option<String> {
        let mut choice = Choice::default();
        choice.add(self, value, within);
        choice.told().filter(|_| choice.has_object())
    }
}

/// What a value may be.
#[derive(Default)]
struct Choice {
    /// In the order of the source, each once.
    told: Vec<String>,
    literals: Vec<String>,
    /// Something may be chosen of which nothing is known.
    is_open: bool,
    may_be_null: bool,
    may_be_undefined: bool,
    /// It is waited for, so that what a promise in it holds is meant.
    is_promise: bool,
}

impl Choice {
    fn add(&mut self, print: Print<'_, '_>, value: &Expression<'_>, within: &Within<'_, '_, '_>) {
        match value {
            Expression::ConditionalExpression(one) => {
                self.add(print, &one.consequent, within);
                self.add(print, &one.alternate, within);
            }
            Expression::LogicalExpression(one) => {
                // What is nothing is given by itself.
                if one.operator == LogicalOperator::And {
                    self.is_open = true;
                } else {
                    self.add(print, &one.left, within);
                }
                self.add(print, &one.right, within);
            }
            Expression::NullLiteral(_) => self.may_be_null = true,
            Expression::Identifier(name) if name.name == "undefined" => self.may_be_undefined = true,
            other => match print.told(other, within) {
                Some(text) => {
                    let text = if self.is_promise { settled(&text) } else { &text };
                    // One of the values may be a choice itself, by its name.
                    let parts =
                        if text.starts_with('{') { split(text, &['|']) } else { vec![text.to_owned()] };
                    for part in parts {
                        self.put(part);
                    }
                }
                None if literal_type(other).is_some() => put(&mut self.literals, print.value_kept(other)),
                None => self.is_open = true,
            },
        }
    }

    fn put(&mut self, part: String) {
        match part.as_str() {
            INFERRED => self.is_open = true,
            "null" => self.may_be_null = true,
            "undefined" => self.may_be_undefined = true,
            _ => put(&mut self.told, part),
        }
    }

    fn has_object(&self) -> bool {
        self.told.iter().any(|part| part.starts_with('{'))
    }

    /// `None` where that says nothing. What is no object is only told by itself or beside one.
    fn told(&self) -> Option<String> {
        let is_one = self.told.len() == 1 && self.literals.is_empty() && !self.is_open;
        if !is_one && !self.has_object() {
            return None;
        }
        let mut parts: Vec<&String> = self.told.iter().chain(&self.literals).collect();
        let open = INFERRED.to_owned();
        parts.extend(self.is_open.then_some(&open));
        let mut also = Vec::new();
        also.extend(self.may_be_null.then_some("null"));
        also.extend(self.may_be_undefined.then_some("undefined"));
        let is_alone = parts.len() == 1 && also.is_empty();
        let closed = parts.iter().map(|part| if is_alone { (*part).clone() } else { closed(part) });
        let read = read_out(&closed.collect::<Vec<_>>());
        Some(std::iter::once(read.as_str()).chain(also).collect::<Vec<_>>().join(" | "))
    }
}

fn put(all: &mut Vec<String>, part: String) {
    if !all.contains(&part) {
        all.push(part);
    }
}

/// In parentheses where it would not end by itself.
fn closed(part: &str) -> String {
    let is_open = part.contains("=>") && !part.starts_with('{') && inside(part, '(', ')').is_none();
    if is_open { format!("({part})") } else { part.to_owned() }
}

/// All of the values where they fit; else as many as do, how many more there are, and the whole by a digest, with how many
/// names there are in it.
fn read_out(parts: &[String]) -> String {
    let whole = parts.join(" | ");
    if parts.len() == 1 || parts.len() <= MOST_CHOICES && whole.len() <= LONGEST_CHOICE {
        return whole;
    }
    let mut used = 0;
    let fits = |part: &&String| {
        used += part.len() + 3;
        used <= LONGEST_CHOICE
    };
    let shown = parts.iter().take(MOST_CHOICES).take_while(fits).count();
    let names = |part: &String| inside(part, '{', '}').map_or(0, |names| split(names, &[',']).len());
    let count: usize = parts.iter().map(names).sum();
    let mut cut = parts[..shown].join(" | ");
    cut.push_str(if shown > 0 { " | " } else { "" });
    format!("{cut}…{} more {}.{count}", parts.len() - shown, digest(&whole))
}
