//! Real projects in real folders; the engine as a face calls it.

use std::path::Path;

use becket_testing::{Home, Repo};

use super::*;
