//! `becket context --watch`: context files that follow the code. One full run, then one after each burst of edits, each
//! written whole before the next begins.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_contracts::compare::Comparison;
use becket_project::index::{Index, IndexId};
use becket_project::watch::SETTLE;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::follow::{Follower, compared, compared_with};
use super::generate::{ContextReport, ContextRequest, Job, Shape};
use super::left_out::is_there;
use super::options::ContextOptions;
use super::session::{LogEntry, Session, output_lock};
use super::site::Site;
use super::strict::{StrictReport, violations};
use crate::engine::still_there;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct WatchContextRequest {
    pub context: ContextRequest,
    /// Keep account of what is broken since the start.
    pub strict: bool,
    /// Append every regeneration to the log in `.logicstamp/`.
    pub log: bool,
}

/// A folder whose context files follow its code, until it is closed.
#[derive(Debug)]
pub struct ContextWatch<'e> {
    engine: &'e Engine,
    request: WatchContextRequest,
    options: ContextOptions,
    output: PathBuf,
    follower: Follower<'e>,
    session: Session,
    /// The state at the start, which strict watching compares with.
    first: Arc<Index>,
    strict: Option<StrictReport>,
    /// Bundle hashes by entry, as they were written last.
    bundles: BTreeMap<String, String>,
    /// Of the last run, and what stands for the graph that it tells of.
    report: ContextReport,
    graph: IndexId,
    /// What was said of the last failure, until something succeeds.
    failure: Option<String>,
    restored: Restored,
}

/// How often files that somebody else touched were put right since the last edit, and when last: two who put right what the
/// other wrote would never come to an end.
#[derive(Debug, Default)]
struct Restored {
    times: u32,
    last: Option<Instant>,
}

/// So often it is done again at once; then each time it takes so much longer until the next, and no longer than that often.
const QUICKLY: u32 = 2;
const RESTORED_AGAIN: Duration = Duration::from_secs(1);
const MOST_DELAYS: u32 = 60;

impl Restored {
    fn is_too_soon(&self) -> bool {
        let delay = RESTORED_AGAIN * self.times.saturating_sub(QUICKLY).min(MOST_DELAYS);
        self.last.is_some_and(|last| last.elapsed() < delay)
    }

    fn count(&mut self) {
        *self = Self { times: self.times.saturating_add(1), last: Some(Instant::now()) };
    }
}

/// What one burst of edits led to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Regenerated {
    /// None where context files were put right that somebody else had touched.
    pub changed_files: Vec<String>,
    /// From the end of the burst to the last byte written.
    pub duration_ms: u64,
    /// The same, finer.
    pub duration_micros: u64,
    pub files_written: usize,
    pub files_removed: usize,
    pub comparison: Comparison,
    pub hashes: Vec<HashChange>,
    /// Set where somebody watches strictly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<StrictReport>,
}

/// A contract that is not as it was.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HashChange {
    pub entry_id: String,
    pub semantic_hash_changed: bool,
    pub file_hash_changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_hash: Option<OldNew>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_hash: Option<OldNew>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OldNew {
    pub old: String,
    pub new: String,
}

/// How a session ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WatchEnd {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<StrictReport>,
}

impl Engine {
    /// Writes the context files once, and begins to follow the code.
    pub fn watch_context(&self, request: &WatchContextRequest) -> Result<ContextWatch<'_>, Error> {
        self.watch_context_settled(request, SETTLE)
    }

    /// The same with another time for a burst to be over, for measuring.
    pub fn watch_context_settled(
        &self,
        request: &WatchContextRequest,
        settle: Duration,
    ) -> Result<ContextWatch<'_>, Error> {
        let options = self.context_options(&request.context.choice)?;
        let path = request.context.path.as_deref();
        let site = self.site(path)?;
        let output = self.output_folder(&site, request.context.out.as_deref())?;
        let now = self.now().to_string();
        let session = Session::open(&site, &output, &now, request.strict)?;
        let started = self.first_run(request, options, settle);
        let (follower, bundles, report, graph) = match started {
            Ok(started) => started,
            Err(error) => {
                session.close(None)?;
                return Err(error);
            }
        };
        let strict = request.strict.then(|| StrictReport::new(now));
        if let Some(report) = &strict {
            session.report(report)?;
        }
        Ok(ContextWatch {
            engine: self,
            request: request.clone(),
            options,
            first: Arc::clone(&follower.index),
            follower,
            session,
            strict,
            bundles,
            report,
            graph,
            output,
            failure: None,
            restored: Restored::default(),
        })
    }

    fn first_run(
        &self,
        request: &WatchContextRequest,
        options: ContextOptions,
        settle: Duration,
    ) -> Result<(Follower<'_>, BTreeMap<String, String>, ContextReport, IndexId), Error> {
        let mut follower = Follower::start(
            self,
            request.context.path.as_deref(),
            (options.tests, options.style.is_some()),
            settle,
        )?;
        if !request.context.dry_run {
            follower.hear_output();
        }
        let job = self.job(&request.context, options)?;
        let _lock = job.lock()?;
        if request.context.clean_cache {
            self.forget(&job.site)?;
        }
        let index = self.live(&job.site, options.tests)?;
        let generated = self.generated(job, index, None, || ())?.found()?;
        let bundles = if request.log { generated.bundle_hashes() } else { BTreeMap::new() };
        let graph = generated.graph_id();
        let report = if request.context.dry_run { generated.report().0 } else { self.keep_run(generated) };
        Ok((follower, bundles, report, graph))
    }
}

impl ContextWatch<'_> {
    /// The last run.
    pub fn report(&self) -> &ContextReport {
        &self.report
    }

    pub fn output(&self) -> &std::path::Path {
        &self.output
    }

    /// Why there are only looks at intervals, where that is so.
    pub fn notice(&self) -> Option<&str> {
        self.follower.notice()
    }

    /// The next burst of edits and what it led to; `None` when there was none within `limit`. After a failure
    /// the same edits are tried again until they are written. The same failure is told once.
    pub fn wait(&mut self, limit: Duration) -> Result<Option<Regenerated>, Error> {
        let writes = !self.request.context.dry_run;
        let lock = |site: &Site| writes.then(|| output_lock(site, &self.output)).transpose();
        let (engine, output) = (self.engine, &self.output);
        let is_touched = || writes && !engine.kept_pages(output).are_untouched(output);
        let step = match self.follower.wait(limit, lock, is_touched) {
            Ok(Some(step)) => step,
            Ok(None) => {
                if self.follower.is_behind() {
                    return Ok(None);
                }
                // Only while nothing else happens: what goes with its repository does not come back.
                still_there(&self.follower.site.workspace)?;
                return match self.session.say_again(self.strict.as_ref()) {
                    Ok(()) => {
                        self.failure = None;
                        Ok(None)
                    }
                    Err(error) => self.failed(error),
                };
            }
            Err(error) => return self.failed(error),
        };
        let outcome = if step.owed || !step.files.is_empty() {
            self.restored = Restored::default();
            let regenerated = self.regenerate(&step.before, &step.files, step.settled);
            // None where a failure was mended after all edits had been taken back.
            regenerated.map(|regenerated| (!step.files.is_empty()).then_some(regenerated))
        } else if self.restored.is_too_soon() {
            self.follower.look_soon();
            return Ok(None);
        } else {
            self.restored.count();
            self.restore(step.settled)
        };
        drop(step.guard);
        match outcome {
            Ok(told) => {
                self.failure = None;
                Ok(told)
            }
            Err(error) => {
                self.follower.step_back(step.before);
                let words = json!({"error": error.message()});
                let told = self.failed(error);
                if told.is_err() && self.request.log {
                    // Where that cannot be written either, the error says so.
                    _ = self.log(&step.files, step.settled, words);
                }
                told
            }
        }
    }

    /// Whether what is watched is gone, and no later edit can mend that.
    pub fn is_over(&self) -> bool {
        still_there(&self.follower.site.workspace).is_err()
    }

    /// The error, unless it was told before. That everything is gone is what led to any other.
    fn failed<T>(&mut self, error: Error) -> Result<Option<T>, Error> {
        still_there(&self.follower.site.workspace)?;
        // A cause may name a file that is called otherwise each time.
        let told = [error.message(), error.hint().unwrap_or_default()].join("\n");
        let known = self.failure.replace(told.clone()).is_some_and(|known| known == told);
        if known { Ok(None) } else { Err(error) }
    }

    /// Ends the session: nobody watches any more.
    pub fn close(self) -> Result<WatchEnd, Error> {
        self.session.close(self.strict.as_ref())?;
        Ok(WatchEnd { strict: self.strict })
    }

    fn regenerate(
        &mut self,
        before: &Index,
        files: &[String],
        started: Instant,
    ) -> Result<Regenerated, Error> {
        let writes = !self.request.context.dry_run;
        let (engine, index) = (self.engine, &self.follower.index);
        let mut generated = engine.generated(self.job(true), Arc::clone(index), None, || ())?;
        let duration = started.elapsed();
        // Who waits for what changed need not wait for a look at all the others.
        if writes && !engine.kept_pages(&self.output).are_untouched(&self.output) {
            let wrote = generated.wrote;
            generated = engine.generated(self.job(false), Arc::clone(index), None, || ())?;
            generated.wrote.written += wrote.written;
            generated.wrote.removed += wrote.removed;
        }
        let graph = generated.graph_id();
        if self.graph == graph {
            generated.shape = Some(Shape::said_by(self.report.clone()));
        }
        // Only the log tells of them.
        let bundles = if self.request.log { generated.bundle_hashes() } else { BTreeMap::new() };
        let wrote = generated.wrote;
        if writes {
            (self.report, self.graph) = (engine.keep_run(generated), graph);
        }
        let comparison = self.follower.compared(before);
        let mut strict = self.strict.clone();
        if let Some(report) = &mut strict {
            let mut since_start = compared(&self.first, &self.follower.index, &self.follower.site);
            since_start.files.retain(|file| !is_there(&self.follower.site, &self.follower.index, file));
            let (first, now) = (&self.first, &self.follower.index);
            let found = violations(
                &since_start,
                &|path| first.file(path).map(becket_project::index::IndexedFile::contract),
                &|path| now.file(path).map(becket_project::index::IndexedFile::contract),
                &|was, is| compared_with((first, now), &self.follower.site, (was, is)),
            );
            report.check(self.engine.now().to_string(), found, files);
            self.session.report(report)?;
        }
        let regenerated = Regenerated {
            changed_files: files.to_vec(),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            duration_micros: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            files_written: wrote.written,
            files_removed: wrote.removed,
            hashes: hashes_between(before, &self.follower.index, files),
            comparison,
            strict: strict.clone(),
        };
        if self.request.log {
            let bundles = bundles_between(&self.bundles, &bundles);
            self.log(files, started, logged(&regenerated, &bundles))?;
        }
        // Last: what failed before is done again.
        (self.bundles, self.strict) = (bundles, strict);
        Ok(regenerated)
    }

    /// Puts right what somebody else did to the files that were written; `None` where nothing is written otherwise.
    fn restore(&mut self, started: Instant) -> Result<Option<Regenerated>, Error> {
        let (engine, index) = (self.engine, &self.follower.index);
        let mut generated = engine.generated(self.job(false), Arc::clone(index), None, || ())?;
        let (wrote, duration) = (generated.wrote, started.elapsed());
        if self.graph == generated.graph_id() {
            generated.shape = Some(Shape::said_by(self.report.clone()));
        }
        self.graph = generated.graph_id();
        self.report = engine.keep_run(generated);
        let strict = self.strict.clone();
        Ok((wrote.written + wrote.removed > 0).then(|| Regenerated {
            changed_files: Vec::new(),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            duration_micros: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            files_written: wrote.written,
            files_removed: wrote.removed,
            hashes: Vec::new(),
            comparison: Comparison { files: Vec::new() },
            strict,
        }))
    }

    fn job(&self, trusts: bool) -> Job {
        Job {
            site: self.follower.site.clone(),
            output: self.output.clone(),
            options: self.options,
            writes: !self.request.context.dry_run,
            reports: false,
            trusts,
        }
    }

    fn log(&self, files: &[String], started: Instant, outcome: Value) -> Result<(), Error> {
        self.session.log(&LogEntry {
            timestamp: self.engine.now().to_string(),
            file_count: files.len(),
            changed_files: files.to_vec(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            outcome,
        })
    }
}

fn bundles_between(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Value {
    let changed = after.iter().filter_map(|(entry, new)| {
        let old = before.get(entry).filter(|old| *old != new)?;
        Some(json!({"entryId": entry, "bundleHash": {"old": old, "new": new}}))
    });
    changed.collect()
}

fn hashes_between(before: &Index, after: &Index, files: &[String]) -> Vec<HashChange> {
    let between =
        |old: &str, new: &str| (old != new).then(|| OldNew { old: old.to_owned(), new: new.to_owned() });
    let changes = files.iter().filter_map(|path| {
        let (old, new) = (before.file(path)?.contract(), after.file(path)?.contract());
        let semantic_hash = between(&old.semantic_hash, &new.semantic_hash);
        let file_hash = between(&old.file_hash, &new.file_hash);
        Some(HashChange {
            entry_id: path.clone(),
            semantic_hash_changed: semantic_hash.is_some(),
            file_hash_changed: file_hash.is_some(),
            semantic_hash,
            file_hash,
        })
    });
    changes.filter(|change| change.semantic_hash_changed || change.file_hash_changed).collect()
}

fn logged(regenerated: &Regenerated, bundles: &Value) -> Value {
    use becket_contracts::compare::Change;
    let entries = |change: Change| -> Vec<&str> {
        let files = regenerated.comparison.files.iter().filter(|file| file.change == change);
        files.map(|file| file.entry_id.as_str()).collect()
    };
    // A file that moved is gone from one place and new in another, to a reader of the original's log.
    let moved = regenerated.comparison.files.iter().filter(|file| file.change == Change::Moved);
    let mut added = entries(Change::Added);
    let mut removed = entries(Change::Removed);
    for file in moved {
        added.push(&file.entry_id);
        removed.extend(file.moved_from.as_deref());
    }
    let mut outcome = json!({
        "modifiedContracts": regenerated.hashes,
        "modifiedBundles": bundles,
        "summary": {
            "modifiedContractsCount": regenerated.hashes.len(),
            "modifiedBundlesCount": bundles.as_array().map_or(0, Vec::len),
            "addedContractsCount": added.len(),
            "removedContractsCount": removed.len(),
        },
    });
    for (name, list) in [("addedContracts", added), ("removedContracts", removed)] {
        if let (false, Some(outcome)) = (list.is_empty(), outcome.as_object_mut()) {
            outcome.insert(name.to_owned(), json!(list));
        }
    }
    outcome
}
