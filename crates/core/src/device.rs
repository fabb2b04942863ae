//! `Device`: where games are played and learned.

use std::fmt;
use std::str::FromStr;

/// Where games are played and learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU, by its number.
    Cuda(usize),
    /// The cluster that this process is [connected](crate::cluster::connect) to.
    Cluster,
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        let number = |digits: &str| digits.parse().ok().filter(|&number: &usize| number < 1_000);
        match text.split_once(':') {
            None if text == "cpu" => Ok(Device::Cpu),
            None if text == "cuda" => Ok(Device::Cuda(0)),
            Some(("cuda", digits)) if number(digits).is_some() => {
                Ok(Device::Cuda(number(digits).unwrap_or(0)))
            }
            _ => Err("expected cpu, cuda, or cuda:1 for the second GPU".to_owned()),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(0) => f.write_str("cuda"),
            Device::Cuda(number) => write!(f, "cuda:{number}"),
            Device::Cluster => f.write_str("cluster"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_written_as_they_are_read() {
        for text in ["cpu", "cuda", "cuda:1", "cuda:12"] {
            assert_eq!(text.parse::<Device>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "gpu",
            "cuda:",
            "cuda:x",
            "cuda:-1",
            "cpu:1",
            "cluster",
            "cuda:99999999999999999999",
        ] {
            assert!(text.parse::<Device>().is_err(), "{text}");
        }
    }
}
