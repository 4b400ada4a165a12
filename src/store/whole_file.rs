//! Files that are whole before they take their place.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// So many characters of a file's name begin that of the file beside it.
const NAMED: usize = 40;

/// Writes a file beside its place and moves it there: what stands there stays whole until then. Pipes
/// and devices are written to as they are, and a link stays a link.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    let path = &match fs::canonicalize(path) {
        Ok(path) => path,
        // What a link leads to is made.
        Err(_) if is_link => return write(&mut File::create(path)?),
        Err(_) => path.to_owned(),
    };
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return write(&mut File::options().write(true).open(path)?);
    }
    let folder = folder_of(path);
    let mut file = file_beside(path)?;
    if let Ok(there) = fs::metadata(path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name is safe once the folder is; where folders cannot be synced, nothing is to be done.
    let _ = File::open(&folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Begins a file beside the one whose place it is to take, and clears away those that killed processes
/// left there. Its rights are those of any new file.
pub fn file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix: String = name.chars().take(NAMED).collect();
    let prefix = format!(".{prefix}.");
    // It ends as the file does: by that it is known what kind of file it is.
    let ending =
        path.extension().map_or_else(String::new, |it| format!(".{}", it.to_string_lossy()));
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM).suffix(&ending);
    readable_by_others(&mut builder);
    let turn = Turn::take(&folder);
    if turn.is_ours() {
        remove_abandoned(&folder, &prefix, &ending);
    }
    // The system's word alone: the whole message names the file beside, which nobody asked for.
    let file = builder.tempfile_in(&folder).map_err(|error| error.kind())?;
    // Where files cannot be locked, nobody else will find this one left behind.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Characters that tell files beside others from each other.
const RANDOM: usize = 6;

/// Removes files that were begun beside another and that nobody writes.
fn remove_abandoned(folder: &Path, prefix: &str, ending: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let random = name.strip_prefix(prefix).and_then(|name| name.strip_suffix(ending));
        let is_ours = random.is_some_and(|random| {
            random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_ours && is_file && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A turn at beginning and clearing away temporary files and folders in a folder. Whoever has it finds
/// nothing there that is begun and not yet locked.
#[derive(Debug)]
pub(super) struct Turn(Option<File>);

impl Turn {
    pub(super) fn take(folder: &Path) -> Self {
        Self(File::open(folder).ok().filter(|folder| folder.lock().is_ok()))
    }

    /// Whether it can be had here at all: not every system locks folders.
    pub(super) fn is_ours(&self) -> bool {
        self.0.is_some()
    }
}

pub(super) fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

/// Temporary files are private otherwise, and so would be what they become.
fn readable_by_others(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    #[cfg(not(unix))]
    let _ = builder;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn what_stands_there_stays_until_all_is_written() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("page.html");
        write_whole(&path, |file| file.write_all(b"first")).expect("written");
        let failed = write_whole(&path, |file| {
            file.write_all(b"sec")?;
            Err(io::Error::other("no room"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("readable"), b"first");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("set");
            write_whole(&path, |file| file.write_all(b"second")).expect("written");
            let mode = fs::metadata(&path).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "what was private stays so");
        }
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing is left over");
    }

    #[test]
    fn what_a_kill_left_is_cleared_and_what_is_being_written_is_not() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("page.html");
        let living = file_beside(&path).expect("a file");
        let killed = dir.path().join(".page.html.Ab3dE6.html");
        let others =
            [".page.html.notes.html", ".page.htm.Ab3dE6.html"].map(|name| dir.path().join(name));
        for file in others.iter().chain([&killed]) {
            fs::write(file, "text").expect("a file");
        }
        write_whole(&path, |file| file.write_all(b"next")).expect("written");
        assert!(!killed.exists() && living.path().exists());
        assert!(others.iter().all(|other| other.exists()), "what is not ours stays");
    }

    #[test]
    fn long_names_are_no_trouble_and_errors_do_not_name_the_file_beside() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let long = dir.path().join("x".repeat(250));
        write_whole(&long, |file| file.write_all(b"long")).expect("written");
        let nowhere = dir.path().join("nowhere/page.html");
        let error = write_whole(&nowhere, |_| Ok(())).expect_err("no folder");
        assert!(!error.to_string().contains(".page.html"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_what_is_no_file_stays_what_it_is() {
        use std::io::Read as _;
        use std::os::unix::fs::FileTypeExt as _;

        let dir = tempfile::tempdir().expect("a temporary folder");
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| dir.path().join(name));
        fs::write(&file, "before").expect("a file");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write_whole(&link, |file| file.write_all(b"after")).expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&file).expect("readable"), b"after");

        let [nowhere, dangling] = ["nowhere", "dangling"].map(|name| dir.path().join(name));
        std::os::unix::fs::symlink(&nowhere, &dangling).expect("a link");
        write_whole(&dangling, |file| file.write_all(b"made")).expect("written");
        assert!(fs::symlink_metadata(&dangling).expect("there").is_symlink());
        assert_eq!(fs::read(&nowhere).expect("readable"), b"made");

        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut text = String::new();
                File::open(pipe).and_then(|mut it| it.read_to_string(&mut text)).expect("read");
                text
            }
        });
        write_whole(&pipe, |file| file.write_all(b"through")).expect("written");
        assert_eq!(reader.join().expect("no panic"), "through");
        assert!(fs::metadata(&pipe).expect("there").file_type().is_fifo());
    }
}
