/** What a member is, or what it does. Lines on a square of 24. */
export type Icon =
  | 'pen'
  | 'copy'
  | 'scale'
  | 'dots'
  | 'download'
  | 'turn'
  | 'back'
  | 'cross'
  | 'frost'
  | 'alone'
  | 'ballot'
  | 'file'
  | 'page';

export const ICONS: Readonly<Record<Icon, string>> = {
  pen: 'M4 20L5 15L16.5 3.5L20.5 7.5L9 19ZM14 6L18 10',
  copy: 'M8 8H20V20H8ZM16 8V4H4V16H8',
  scale: 'M12 3V21M7 21H17M5 7H19M5 7L2 14A3.2 3.2 0 0 0 8 14ZM19 7L16 14A3.2 3.2 0 0 0 22 14Z',
  dots: 'M5 12H5.1M12 12H12.1M19 12H19.1',
  download: 'M12 3V15M7 10L12 15L17 10M4 20H20',
  turn: 'M20 11A8 8 0 1 0 18 17.5M20 4V11H13',
  back: 'M9 6L4 11L9 16M4 11H14A5 5 0 0 1 14 21H10',
  cross: 'M6 6L18 18M18 6L6 18',
  frost: 'M12 2V22M3.4 7L20.6 17M20.6 7L3.4 17M9.5 3.5L12 6L14.5 3.5M9.5 20.5L12 18L14.5 20.5',
  alone: 'M12 4A4 4 0 1 1 11.9 4ZM4 21A8 8 0 0 1 20 21',
  ballot: 'M4 11V20H20V11M8 11L11 3H17V11ZM2 11H22',
  file: 'M6 2H14L19 7V22H6ZM14 2V7H19',
  page: 'M5 3H19V21H5ZM8 8H16M8 12H16M8 16H13',
};

/** On a base line from -16 to 16. */
export const CROWN = 'M-15 0L-17 -15L-8 -7L0 -18L8 -7L17 -15L15 0Z';
