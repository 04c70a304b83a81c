//! Plots, as pictures that are part of a page (SVG).

use plotters::prelude::*;

use crate::error::{Result, StudyError};

/// Something to be drawn.
#[derive(Clone, Debug)]
pub struct Plot {
    pub title: String,
    pub x: String,
    pub y: String,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// Lines: a name, and points.
    Lines(Vec<(String, Vec<(f64, f64)>)>),
    /// Groups of bars: the names of groups, and for each series its name and a value a group.
    Bars {
        groups: Vec<String>,
        series: Vec<(String, Vec<f64>)>,
        /// Values differ by orders of magnitude.
        is_logarithmic: bool,
    },
    /// The same, with the bars of a group on top of each other.
    Stacks {
        groups: Vec<String>,
        series: Vec<(String, Vec<f64>)>,
    },
}

const SIZE: (u32, u32) = (960, 380);

/// Room for the names of series, on the right.
const LEGEND: u32 = 150;

/// Colours that are told apart also by those who do not see all of them (after Okabe and Ito), darker ones first.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(120, 94, 40),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
];

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

impl Plot {
    /// Whether there is anything to be seen.
    pub fn is_empty(&self) -> bool {
        match &self.kind {
            Kind::Lines(lines) => lines.iter().all(|(_, points)| points.is_empty()),
            Kind::Bars { groups, series, .. } | Kind::Stacks { groups, series } => {
                groups.is_empty() || series.is_empty()
            }
        }
    }

    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg)
            .map_err(|error| StudyError::Plot(format!("{}: {error}", self.title)))?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (left, right) = area.split_horizontally(SIZE.0 - LEGEND);
        let names: Vec<&str> = match &self.kind {
            Kind::Lines(lines) => {
                self.draw_lines(&left, lines)?;
                lines.iter().map(|(name, _)| name.as_str()).collect()
            }
            Kind::Bars {
                groups,
                series,
                is_logarithmic,
            } => {
                self.draw_bars(&left, groups, series, *is_logarithmic)?;
                series.iter().map(|(name, _)| name.as_str()).collect()
            }
            Kind::Stacks { groups, series } => {
                self.draw_stacks(&left, groups, series)?;
                series.iter().map(|(name, _)| name.as_str()).collect()
            }
        };
        for (index, name) in names.into_iter().enumerate() {
            let top = 40 + 20 * index as i32;
            let patch = [(4, top), (18, top + 10)];
            right.draw(&Rectangle::new(patch, colour(index).filled()))?;
            right.draw(&Text::new(
                name.to_owned(),
                (24, top - 1),
                ("sans-serif", 12),
            ))?;
        }
        area.present()?;
        Ok(())
    }

    fn draw_lines<'a, 'b: 'a>(
        &self,
        area: &'a Area<'b>,
        lines: &[(String, Vec<(f64, f64)>)],
    ) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let points = || lines.iter().flat_map(|(_, points)| points);
        let right = points().map(|point| point.0).fold(0.0, f64::max);
        let top = points().map(|point| point.1).fold(0.0, f64::max);
        let mut chart = self
            .chart(area)
            .build_cartesian_2d(0.0..above(right), 0.0..above(top))?;
        let number = |value: &f64| short(*value);
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (index, (_, points)) in lines.iter().enumerate() {
            let style = colour(index).stroke_width(2);
            chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
        }
        Ok(())
    }

    fn draw_bars<'a, 'b: 'a>(
        &self,
        area: &'a Area<'b>,
        groups: &[String],
        series: &[(String, Vec<f64>)],
        is_logarithmic: bool,
    ) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let values = || series.iter().flat_map(|(_, values)| values.iter().copied());
        let top = values().fold(0.0, f64::max);
        let smallest = values().filter(|value| *value > 0.0).fold(top, f64::min);
        // Bars stand on the power of ten below the smallest.
        let bottom = match is_logarithmic && smallest > 0.0 {
            true => smallest.log10().floor(),
            false => 0.0,
        };
        let height = |value: f64| match is_logarithmic {
            true if value > 0.0 => value.log10(),
            true => bottom,
            false => value,
        };
        let ceiling = match is_logarithmic {
            true => height(top).ceil().max(bottom + 1.0),
            false => above(top),
        };
        let range = 0.0..groups.len() as f64;
        let mut chart = self
            .chart(area)
            .build_cartesian_2d(range, bottom..ceiling)?;
        let number = |value: &f64| match is_logarithmic {
            true if value.fract().abs() < 1e-9 => short(10f64.powf(*value)),
            true => String::new(),
            false => short(*value),
        };
        self.draw_groups(&mut chart, groups, &number)?;
        let width = 0.8 / series.len() as f64;
        for (index, (_, values)) in series.iter().enumerate() {
            let style = colour(index).filled();
            let bar = |(group, value): (usize, &f64)| {
                let left = group as f64 + 0.1 + width * index as f64;
                Rectangle::new(
                    [(left, bottom), (left + width * 0.92, height(*value))],
                    style,
                )
            };
            chart.draw_series(values.iter().enumerate().map(bar))?;
        }
        Ok(())
    }

    fn draw_stacks<'a, 'b: 'a>(
        &self,
        area: &'a Area<'b>,
        groups: &[String],
        series: &[(String, Vec<f64>)],
    ) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let mut sums = vec![0.0; groups.len()];
        for (_, values) in series {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
        let top = sums.iter().copied().fold(0.0, f64::max);
        let range = 0.0..groups.len() as f64;
        let mut chart = self
            .chart(area)
            .build_cartesian_2d(range, 0.0..above(top))?;
        self.draw_groups(&mut chart, groups, &|value| short(*value))?;
        let mut floors = vec![0.0; groups.len()];
        for (index, (_, values)) in series.iter().enumerate() {
            let style = colour(index).filled();
            let mut bars = Vec::new();
            for (group, (floor, value)) in floors.iter_mut().zip(values).enumerate() {
                let (left, right) = (group as f64 + 0.2, group as f64 + 0.8);
                bars.push(Rectangle::new(
                    [(left, *floor), (right, *floor + value)],
                    style,
                ));
                *floor += value;
            }
            chart.draw_series(bars)?;
        }
        Ok(())
    }

    fn chart<'a, 'b: 'a>(&self, area: &'a Area<'b>) -> ChartBuilder<'a, 'a, SVGBackend<'b>> {
        let mut builder = ChartBuilder::on(area);
        builder
            .caption(&self.title, ("sans-serif", 17))
            .margin(8)
            .margin_right(8)
            .x_label_area_size(44)
            .y_label_area_size(72);
        builder
    }

    /// Names of groups below, numbers on the left.
    fn draw_groups<'a, 'b: 'a>(
        &self,
        chart: &mut Chart<'a, 'b>,
        groups: &[String],
        number: &dyn Fn(&f64) -> String,
    ) -> std::result::Result<(), Box<dyn std::error::Error>> {
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .x_desc(&self.x)
            .y_desc(&self.y)
            .y_label_formatter(&number)
            .light_line_style(TRANSPARENT)
            .draw()?;
        let area = chart.plotting_area();
        let (_, bottom) = area.get_pixel_range();
        // As long as there is room for.
        let room = (680 / groups.len().max(1) / 6).max(3);
        for (group, name) in groups.iter().enumerate() {
            let name: String = name.chars().take(room).collect();
            let middle = area.map_coordinate(&(group as f64 + 0.5, 0.0)).0;
            let style =
                TextStyle::from(("sans-serif", 12)).pos(plotters::style::text_anchor::Pos::new(
                    plotters::style::text_anchor::HPos::Center,
                    plotters::style::text_anchor::VPos::Top,
                ));
            let root = area.strip_coord_spec();
            let (left, top) = root.get_base_pixel();
            root.draw(&Text::new(
                name,
                (middle - left, bottom.end - top + 6),
                style,
            ))?;
        }
        Ok(())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// A little more than the largest value; something also if all are nothing.
fn above(largest: f64) -> f64 {
    if largest > 0.0 && largest.is_finite() {
        largest * 1.05
    } else {
        1.0
    }
}

/// A number for an axis.
fn short(value: f64) -> String {
    let size = value.abs();
    let (scaled, unit) = match size {
        _ if size >= 1e9 => (value / 1e9, "G"),
        _ if size >= 1e6 => (value / 1e6, "M"),
        _ if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match scaled.abs() {
        number if number >= 100.0 || number.fract() == 0.0 => 0,
        number if number >= 1.0 => 1,
        number if number >= 0.1 => 2,
        _ => 4,
    };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(kind: Kind) -> Plot {
        Plot {
            title: "A & B".to_owned(),
            x: "seconds".to_owned(),
            y: "paths".to_owned(),
            kind,
        }
    }

    #[test]
    fn numbers_on_axes_are_short() {
        let shown = [0.0, 7.0, 2.5, 0.25, 12_345.0, 3e6, 0.001].map(short);
        assert_eq!(shown, ["0", "7", "2.5", "0.25", "12.3k", "3M", "0.0010"]);
    }

    #[test]
    fn whatever_is_drawn_is_a_picture_with_its_names() {
        let groups = vec!["one".to_owned(), "two".to_owned()];
        let series = vec![
            ("full".to_owned(), vec![0.0, 1000.0]),
            ("green".to_owned(), vec![0.001, f64::MIN_POSITIVE]),
        ];
        let kinds = [
            Kind::Lines(vec![("full".to_owned(), vec![(0.0, 0.0), (1.0, 5.0)])]),
            Kind::Lines(vec![("full".to_owned(), vec![(0.0, 0.0)])]),
            Kind::Bars {
                groups: groups.clone(),
                series: series.clone(),
                is_logarithmic: true,
            },
            Kind::Bars {
                groups: groups.clone(),
                series: series.clone(),
                is_logarithmic: false,
            },
            Kind::Stacks { groups, series },
        ];
        for kind in kinds {
            let svg = plot(kind).svg().expect("drawn");
            assert!(svg.starts_with("<svg") && svg.contains("full"), "{svg}");
            assert!(svg.contains("A &amp; B") && !svg.contains("NaN"), "{svg}");
        }
        assert!(plot(Kind::Lines(Vec::new())).is_empty());
    }
}
