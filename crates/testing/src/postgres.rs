//! A PostgreSQL server of one's own: made in a temporary folder, reached over a socket in it, gone when dropped.
//!
//! `./test` installs the server. Where it is missing the tests that need it fail and say so; none is skipped.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Whom a server runs as when the tests run as root, which PostgreSQL refuses to.
const NOBODY: u32 = 65534;

#[derive(Debug)]
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    is_running: bool,
    /// Of one that is reached over the loopback.
    port: Option<u16>,
}

/// How much a server does to keep its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// As installed: every commit is flushed.
    Full,
    /// Nothing is flushed. For tests that do not pull the plug.
    None,
}

impl Cluster {
    pub fn start(durability: Durability) -> Self {
        let mut cluster = Self::make();
        let mut settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nmax_connections = 60\n",
            cluster.folder.path().display()
        );
        if durability == Durability::None {
            settings.push_str("fsync = off\nfull_page_writes = off\nshared_buffers = '32MB'\n");
        }
        cluster.configure(&settings);
        cluster.up();
        cluster
    }

    /// Reached over the loopback under the name `localhost`, which its certificate is for, and only encrypted.
    pub fn encrypted() -> Self {
        Self::over_loopback("trust", "")
    }

    /// The same, for clients that show the certificate of [`Self::client_certificate`].
    pub fn knowing_its_clients() -> Self {
        Self::over_loopback("trust clientcert=verify-ca", "ssl_ca_file = 'client.crt'\n")
    }

    fn over_loopback(way: &str, more: &str) -> Self {
        let mut cluster = Self::make();
        let data = cluster.data();
        let (key, certificate) = (data.join("server.key"), cluster.certificate());
        cluster.make_certificate("localhost", &key, &certificate);
        let (client, client_key) = cluster.client_certificate();
        cluster.make_certificate("becket", &client_key, &client);
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        cluster.port = Some(port);
        let access = data.join("pg_hba.conf");
        std::fs::write(
            &access,
            format!("hostssl all all 127.0.0.1/32 {way}\nhostssl all all ::1/128 {way}\n"),
        )
        .expect("settings");
        cluster.configure(&format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = '{}'\nfsync = off\n\
             shared_buffers = '32MB'\nssl = on\nssl_key_file = '{}'\nssl_cert_file = '{}'\n{more}",
            cluster.folder.path().display(),
            key.display(),
            certificate.display()
        ));
        cluster.up();
        cluster
    }

    /// Signed by itself, for a server under this name or a client of it.
    fn make_certificate(&self, name: &str, key: &Path, certificate: &Path) {
        let (subject, alternative) = (format!("/CN={name}"), format!("subjectAltName=DNS:{name}"));
        let arguments = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj".split(' ');
        let more = [&*subject, "-addext", &*alternative, "-keyout", text(key), "-out", text(certificate)];
        let made = self.run_program(Path::new("openssl"), &arguments.chain(more).collect::<Vec<_>>());
        assert!(made.status.success(), "openssl failed: {}", String::from_utf8_lossy(&made.stderr));
    }

    /// By which clients are known, and its key.
    pub fn client_certificate(&self) -> (PathBuf, PathBuf) {
        (self.data().join("client.crt"), self.data().join("client.key"))
    }

    /// Of an encrypted server: signed by itself.
    pub fn certificate(&self) -> PathBuf {
        self.data().join("server.crt")
    }

    fn make() -> Self {
        let programs = programs().unwrap_or_else(|| {
            panic!("PostgreSQL is not installed: `apt-get install postgresql`, or run ./test, which does it")
        });
        let folder = tempfile::Builder::new().prefix("becket-pg-").tempdir().expect("a temporary folder");
        give(folder.path());
        let cluster = Self { folder, programs, is_running: false, port: None };
        let data = cluster.data();
        let data = data.to_str().expect("a plain path");
        let made = cluster.run(
            "initdb",
            &["-D", data, "-U", "becket", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        );
        assert!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
        cluster
    }

    fn configure(&self, settings: &str) {
        let path = self.data().join("becket.conf");
        std::fs::write(&path, settings).expect("settings");
        give(&path);
        let main = self.data().join("postgresql.conf");
        let text = std::fs::read_to_string(&main).expect("settings");
        std::fs::write(&main, format!("{text}\ninclude = 'becket.conf'\n")).expect("settings");
    }

    /// An address that `Place::parse` understands.
    pub fn url(&self) -> String {
        if let Some(port) = self.port {
            return format!("postgres://becket@localhost:{port}/postgres");
        }
        let host = self.folder.path().to_str().expect("a plain path").replace('/', "%2F");
        format!("postgres://becket@{host}/postgres")
    }

    pub fn up(&mut self) {
        let log = self.folder.path().join("log");
        let data = self.data();
        let arguments = ["-D", text(&data), "-l", text(&log), "-w", "-t", "60", "start"];
        let started = self.run("pg_ctl", &arguments);
        let log = std::fs::read_to_string(log).unwrap_or_default();
        assert!(started.status.success(), "PostgreSQL did not start: {log}");
        self.is_running = true;
    }

    /// `fast` ends sessions in order, `immediate` as if the machine had lost power.
    pub fn down(&mut self, mode: &str) {
        let data = self.data();
        let stopped = self.run("pg_ctl", &["-D", text(&data), "-m", mode, "-w", "-t", "60", "stop"]);
        assert!(
            stopped.status.success(),
            "PostgreSQL did not stop: {}",
            String::from_utf8_lossy(&stopped.stderr)
        );
        self.is_running = false;
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.run_program(&self.programs.join(program), arguments)
    }

    fn run_program(&self, program: &Path, arguments: &[&str]) -> Output {
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            let id = NOBODY.to_string();
            command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(arguments).current_dir(self.folder.path()).env("LC_ALL", "C");
        // A server inherits the pipes of `pg_ctl` and would keep them open.
        let out = tempfile::tempfile().expect("a temporary file");
        let status = command
            .stdin(std::process::Stdio::null())
            .stdout(out.try_clone().expect("a file"))
            .stderr(out.try_clone().expect("a file"))
            .status()
            .expect("PostgreSQL's programs can be run");
        let mut text = Vec::new();
        let mut out = out;
        let _ = io::Seek::rewind(&mut out).and_then(|()| io::Read::read_to_end(&mut out, &mut text));
        Output { status, stdout: Vec::new(), stderr: text }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.is_running {
            let data = self.data();
            self.run("pg_ctl", &["-D", text(&data), "-m", "immediate", "-w", "stop"]);
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Where `initdb` lies: on the path, or where Debian puts it, the newest version first.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut installed: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|one| one.path())
        .collect();
    installed.sort();
    folders.extend(installed.into_iter().rev().map(|version| version.join("bin")));
    folders.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(unix)]
fn give(path: &Path) {
    if is_root() {
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("root may give files away");
    }
}

#[cfg(not(unix))]
fn give(_path: &Path) {}
