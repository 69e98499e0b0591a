//! Values of the planes of a row that are not read with their neighbours: what stands beyond the ends,
//! and samples that are alone there. They are the same of every row, and listed once.

use super::taps::PLANES;

/// Most values that are listed; more are looked up row by row.
const MOST: usize = 24;

/// A value of a plane.
#[derive(Clone, Copy, Debug, Default)]
struct Stray {
    /// Index in the plane.
    place: u32,
    /// Where it is in the input.
    index: u32,
    array: u8,
    plane: u8,
}

impl Stray {
    /// In place of an array: the value is zero.
    const NOWHERE: u8 = PLANES as u8;
}

/// A few values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strays {
    list: [Stray; MOST],
    len: usize,
}

impl Strays {
    /// Adds a plane's value, which an array has at an index, or which is zero; `None` if there is no
    /// room.
    pub(super) fn push(
        &mut self,
        plane: usize,
        place: usize,
        from: Option<(usize, usize)>,
    ) -> Option<()> {
        let (array, index) = from.unwrap_or((Stray::NOWHERE.into(), 0));
        let (place, index) = (u32::try_from(place).ok()?, u32::try_from(index).ok()?);
        let (array, plane) = (array as u8, plane as u8);
        *self.list.get_mut(self.len)? = Stray { place, index, array, plane };
        self.len += 1;
        Some(())
    }

    /// Brings the values of a row to their places.
    #[inline(always)]
    pub(super) fn fill<T: Copy + Default>(
        &self,
        input: &[&[T]; PLANES],
        mut planes: [&mut [T]; PLANES],
    ) {
        let arrays: [&[T]; PLANES + 1] = [input[0], input[1], &[]];
        for stray in &self.list[..self.len] {
            let value = arrays[usize::from(stray.array)].get(stray.index as usize);
            let plane = &mut planes[usize::from(stray.plane)];
            plane[stray.place as usize] = value.copied().unwrap_or_default();
        }
    }
}
