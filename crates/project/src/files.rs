//! Writing files so that a reader, a crash or a second writer never sees half of one. It owns how bytes get to the disk;
//! which paths may be written is `admit`'s.
#![allow(clippy::disallowed_methods, reason = "the owner of writes")]

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, IoSlice, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use becket_fence::cache;
use fs_err as fs;

use crate::canonical::canonical;

/// Nobody takes so long to write one file.
const HALF_WRITTEN: Duration = Duration::from_mins(10);

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("{} is a link; name the file it leads to", path.display())]
    Link { path: PathBuf },
    #[error("{} leads out of {}", path.display(), root.display())]
    Outside { path: PathBuf, root: PathBuf },
    #[error("{} is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error("{} is not a file", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} is read-only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{} could not be {action}", path.display())]
    Failed { path: PathBuf, action: &'static str, source: io::Error },
}

/// Replaces or makes a file: readers see the old bytes or the new ones, also after a crash. The mode of an existing file
/// is kept, its owner is not.
///
/// A link is refused, because replacing it would cut it and following it could lead anywhere: a caller who means the
/// file behind it gives that file's canonical path. A read-only file is refused, as a plain write would be.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |source| FileError::Failed { path: path.to_owned(), action: "written", source };
    let permissions = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => return Err(FileError::Link { path: path.to_owned() }),
        Ok(metadata) if !metadata.is_file() => return Err(FileError::NotAFile { path: path.to_owned() }),
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(FileError::ReadOnly { path: path.to_owned() });
        }
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let (temporary, file) = Temporary::create(path, Audience::Everyone).map_err(failed)?;
    fill(file, bytes, permissions).map_err(failed)?;
    temporary.become_file(path).and_then(|()| sync_folder_of(path)).map_err(failed)
}

/// As [`write`], for what can be made again: readers never see half of it, but a crash of the machine may lose it.
pub fn write_derived(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Staged::of(path, bytes)?.put()
}

/// The first half of [`write_derived`], for files that belong together: all of them are staged before the first takes its
/// place. Nothing where these bytes stand there already.
pub fn stage_derived(path: &Path, pieces: &[&str]) -> Result<Option<Staged>, FileError> {
    let found = fs::symlink_metadata(path).ok();
    let size = pieces.iter().map(|piece| piece.len() as u64).sum();
    let may_be_same = found.as_ref().is_some_and(|found| found.is_symlink() || found.len() == size);
    if may_be_same && read(path, size).ok().flatten().is_some_and(|bytes| is_made_of(&bytes, pieces)) {
        return Ok(None);
    }
    let mut pieces: Vec<_> = pieces.iter().map(|piece| IoSlice::new(piece.as_bytes())).collect();
    Staged::beside(path, &mut pieces, found.as_ref()).map(Some)
}

fn is_made_of(mut bytes: &[u8], pieces: &[&str]) -> bool {
    let mut begins = |piece: &&str| bytes.strip_prefix(piece.as_bytes()).map(|rest| bytes = rest).is_some();
    pieces.iter().all(&mut begins) && bytes.is_empty()
}

/// All of them, without putting them together first.
pub(crate) fn write_pieces(file: &mut fs::File, pieces: &mut [IoSlice<'_>]) -> io::Result<()> {
    let mut left = pieces;
    // Those that are empty are not among what is left.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Bytes beside the file that they are to be in; gone when dropped before they were put there.
#[derive(Debug)]
pub struct Staged {
    temporary: Temporary,
    target: PathBuf,
    /// Whether there was one when it was staged.
    replaces: bool,
}

impl Staged {
    /// The first half of [`write_derived`].
    pub fn of(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        Self::beside(path, &mut [IoSlice::new(bytes)], fs::symlink_metadata(path).ok().as_ref())
    }

    fn beside(
        path: &Path,
        pieces: &mut [IoSlice<'_>],
        found: Option<&std::fs::Metadata>,
    ) -> Result<Self, FileError> {
        let failed = |source| FileError::Failed { path: path.to_owned(), action: "written", source };
        match found {
            Some(metadata) if metadata.is_symlink() => return Err(FileError::Link { path: path.to_owned() }),
            Some(metadata) if !metadata.is_file() => {
                return Err(FileError::NotAFile { path: path.to_owned() });
            }
            _ => {}
        }
        let (temporary, mut file) = Temporary::create(path, Audience::Everyone).map_err(failed)?;
        if let Some(metadata) = found {
            file.set_permissions(metadata.permissions()).map_err(failed)?;
        }
        write_pieces(&mut file, pieces).map_err(failed)?;
        Ok(Self { temporary, target: path.to_owned(), replaces: found.is_some() })
    }

    /// Replaces or makes the file.
    pub fn put(self) -> Result<(), FileError> {
        let Self { temporary, target, replaces } = self;
        let put = if replaces { temporary.take_place(&target) } else { temporary.become_file(&target) };
        put.map_err(|source| FileError::Failed { path: target, action: "written", source })
    }
}

/// What a process that was killed left beside a file: staged, and never put in its place.
pub fn half_written(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries
        .map(|entry| entry.file_name())
        .filter(|other| other.to_str().is_some_and(|other| is_temporary_of(other, name)));
    names.map(|name| folder.join(name)).collect()
}

/// Removes what processes that were killed left half written in a folder of our own. By the time of `written`, a file that
/// was written just now, what is old enough is nobody's any more.
pub fn clear_half_written(folder: &Path, written: &Path) {
    let changed = |path: &Path| fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    let Ok(now) = changed(written) else { return };
    let is_old = |path: &PathBuf| {
        changed(path).is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age > HALF_WRITTEN))
    };
    for path in temporaries(folder).into_iter().filter(is_old) {
        _ = fs::remove_file(path);
    }
}

/// Half-written files in a folder, of whatever name.
pub(crate) fn temporaries(folder: &Path) -> Vec<PathBuf> {
    let found = with_ending(folder, "tmp").into_iter();
    let is_ours = |path: &PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str());
        name.and_then(|name| name.rsplit_once('.')).is_some_and(|(_, digits)| is_random(digits))
    };
    found.filter(is_ours).collect()
}

/// As [`Temporary`] names it: `.name.` with sixteen hexadecimal digits and `.tmp`.
pub(crate) fn is_temporary_of(other: &str, name: &str) -> bool {
    let middle = other
        .strip_prefix('.')
        .and_then(|other| other.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".tmp"));
    middle.is_some_and(is_random)
}

fn is_random(digits: &str) -> bool {
    digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Removes a file; that there was none is no failure.
pub fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(source) if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(source) => Err(FileError::Failed { path: path.to_owned(), action: "removed", source }),
    }
}

/// Makes a file that must not be there yet, whole or not at all. A link of that name counts as being there.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    create_for(path, bytes, Audience::Everyone)
}

/// As [`create`], for a token or a key: only the user can read it, from the first moment on. On Windows it has the
/// permissions that its folder hands down, which in a user's profile are the user's alone.
pub fn create_secret(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    create_for(path, bytes, Audience::User)
}

/// Makes the folder `inside` (relative) below `root` with all its parents, and gives its canonical path. A link on the
/// way is followed only if it stays inside `root`, which must exist.
pub fn create_folder(root: &Path, inside: &Path) -> Result<PathBuf, FileError> {
    let folder = create_inside(root, inside)?;
    if inside.iter().any(|name| name == cache::IN_PROJECT) {
        cache::keep_from_git(&folder);
    }
    Ok(folder)
}

fn create_inside(root: &Path, inside: &Path) -> Result<PathBuf, FileError> {
    let failed = |path: &Path, source| FileError::Failed { path: path.to_owned(), action: "made", source };
    let root = canonical(root).map_err(|source| failed(root, source))?;
    let plain = |component| matches!(component, Component::Normal(_) | Component::CurDir);
    if inside.components().all(plain) {
        // Almost always it is there.
        let there = canonical(&root.join(inside)).ok();
        if let Some(place) = there.filter(|place| place.starts_with(&root) && place.is_dir()) {
            return Ok(place);
        }
    }
    let mut folder = root.clone();
    for component in inside.components() {
        match component {
            Component::Normal(name) => folder.push(name),
            Component::CurDir => continue,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(FileError::Outside { path: inside.to_owned(), root });
            }
        }
        match fs::create_dir(&folder) {
            Ok(()) => {}
            // A link that leads nowhere exists too, and is found out by the next line.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&folder, error)),
        }
        let place = canonical(&folder).map_err(|source| failed(&folder, source))?;
        if !place.starts_with(&root) {
            return Err(FileError::Outside { path: folder, root });
        }
        if !place.is_dir() {
            return Err(FileError::NotAFolder { path: folder });
        }
        folder = place;
    }
    Ok(folder)
}

/// Makes a folder of our own, and what is missing above it. What holds them, `home`, is not made: somebody has removed it,
/// and it must not come back.
pub(crate) fn create_below(home: &Path, folder: &Path) -> io::Result<()> {
    create_all_below(home, folder)?;
    // What holds a folder of another name may be called as the cache is.
    if cache::holder(folder) == Some(home) {
        cache::keep_from_git(folder);
    }
    Ok(())
}

fn create_all_below(home: &Path, folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return stays_below(home, folder);
    }
    if let Some(parent) = folder.parent().filter(|parent| *parent != home && parent.starts_with(home)) {
        create_all_below(home, parent)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {
            stays_below(home, folder)
        }
        made => made,
    }
}

/// A folder of our own in a project may have come with it, as a link to anywhere. In a Git directory it is the user's.
fn stays_below(home: &Path, folder: &Path) -> io::Result<()> {
    let is_of_git = home.iter().any(|name| name == ".git");
    if is_of_git || home.as_os_str().is_empty() {
        return Ok(());
    }
    becket_fence::place(home, folder).map(drop)
}

/// The folder of a file in becket's cache, as [`create_below`] what holds the cache.
pub(crate) fn create_folder_of(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent() else { return Ok(()) };
    create_below(cache::holder(folder).unwrap_or(Path::new("")), folder)
}

/// Whether folders are made for the files that go into them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingFolders {
    Made,
    LeftOut,
}

/// Folders below a root that many files go into: a way that was found without links is not looked at again.
#[derive(Debug)]
pub struct Folders<'a> {
    root: &'a Path,
    missing: MissingFolders,
    sound: Mutex<HashSet<PathBuf>>,
}

impl<'a> Folders<'a> {
    pub fn new(root: &'a Path, missing: MissingFolders) -> Self {
        Self { root, missing, sound: Mutex::default() }
    }

    /// As [`create_folder`] where missing ones are made; else false for one that is not there.
    pub fn open(&self, inside: &Path) -> Result<bool, FileError> {
        if inside.as_os_str().is_empty() || self.sound().contains(inside) {
            return Ok(true);
        }
        if let Some(parent) = inside.parent()
            && !self.open(parent)?
        {
            return Ok(false);
        }
        let plain = inside.components().all(|component| matches!(component, Component::Normal(_)));
        let folder = self.root.join(inside);
        let found = fs::symlink_metadata(&folder);
        if !plain || !found.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            let gone = found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            if gone && self.missing == MissingFolders::LeftOut {
                return Ok(false);
            }
            // What holds it is sound, and nothing was in its place.
            if !(plain && gone && fs::create_dir(&folder).is_ok()) {
                create_folder(self.root, inside)?;
            }
        }
        self.sound().insert(inside.to_owned());
        Ok(true)
    }

    /// Whether a file failed because its folder is gone since, or is being emptied of what was staged there, where such are
    /// left out.
    pub fn is_gone(&self, error: &FileError) -> bool {
        let FileError::Failed { path, source, .. } = error else { return false };
        let below = path.parent().is_some_and(|folder| folder != self.root);
        below && self.missing == MissingFolders::LeftOut && source.kind() == io::ErrorKind::NotFound
    }

    fn sound(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.sound.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The whole of a regular file, or nothing when there is none. Never waits on a pipe and never reads beyond `limit`.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    let failed = |source| FileError::Failed { path: path.to_owned(), action: "read", source };
    let size = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(FileError::NotAFile { path: path.to_owned() }),
        Ok(metadata) => metadata.len().min(limit),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    // One more, so that the end is seen without growing.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    let file = fs::File::open(path).map_err(failed)?;
    // One more than allowed tells a full file from one that is too large, also while it grows.
    file.file().take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(Some(bytes))
}

/// The files of a folder whose names have an ending, by name; none where it cannot be looked into.
pub fn with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|one| one == ending)).collect();
    found.sort();
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    Everyone,
    User,
}

fn create_for(path: &Path, bytes: &[u8], audience: Audience) -> Result<(), FileError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists { path: path.to_owned() },
        _ => FileError::Failed { path: path.to_owned(), action: "made", source },
    };
    if fs::symlink_metadata(path).is_ok() {
        return Err(FileError::Exists { path: path.to_owned() });
    }
    let (temporary, file) = Temporary::create(path, audience).map_err(failed)?;
    fill(file, bytes, None).map_err(failed)?;
    match fs::hard_link(&temporary.path, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(failed(error)),
        // Not every file system has hard links: then it is made in place, exclusively but not in one step.
        Err(_) => write_in_place(path, bytes, audience).map_err(failed)?,
    }
    sync_folder_of(path).map_err(failed)
}

fn write_in_place(path: &Path, bytes: &[u8], audience: Audience) -> io::Result<()> {
    let mut file = open_new(path, audience)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        _ = fs::remove_file(path);
    }
    written
}

/// A file beside the one it is to become; removed when dropped, unless it was renamed away.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn create(target: &Path, audience: Audience) -> io::Result<(Self, fs::File)> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{:016x}.tmp", u64::from_le_bytes(random)));
        let path = target.with_file_name(temporary);
        let file = open_new(&path, audience)?;
        Ok((Self { path, renamed: false }, file))
    }

    /// As [`Temporary::become_file`], without waiting for the disk: ext4 brings to it whatever replaces a file, but not what
    /// changes places with one.
    fn take_place(self, path: &Path) -> io::Result<()> {
        // Dropped after that, it takes the file with it that was there before.
        if change_places(&self.path, path) { Ok(()) } else { self.become_file(path) }
    }

    fn become_file(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.renamed = true;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn change_places(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn change_places(_: &Path, _: &Path) -> bool {
    false
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            _ = fs::remove_file(&self.path);
        }
    }
}

fn fill(mut file: fs::File, bytes: &[u8], permissions: Option<std::fs::Permissions>) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

#[cfg(unix)]
fn open_new(path: &Path, audience: Audience) -> io::Result<fs::File> {
    use fs_err::os::unix::fs::OpenOptionsExt;
    let mode = if audience == Audience::User { 0o600 } else { 0o666 };
    fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn open_new(path: &Path, _audience: Audience) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

/// Makes a rename or a new name survive a crash; file systems that cannot do it are left alone.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match fs::File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        result => result,
    }
}

/// A folder cannot be opened for that here; the file itself was synced.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "its twin can fail")]
fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
