//! Where exploring stopped, and why.

use refrain_machine::Cause;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// The boundary of what was explored: the paths that were left for one cause.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Boundary {
    pub cause: Cause,
    /// How many paths were left.
    pub paths: u64,
    /// Where they were, as the decisions that lead there; not endless.
    #[serde(default)]
    pub places: Vec<String>,
}

impl Serialize for Boundary {
    /// With the cause in words too, as `why`, for people and scripts.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Boundary", 4)?;
        fields.serialize_field("cause", &self.cause)?;
        fields.serialize_field("why", &self.cause.to_string())?;
        fields.serialize_field("paths", &self.paths)?;
        fields.serialize_field("places", &self.places)?;
        fields.end()
    }
}
