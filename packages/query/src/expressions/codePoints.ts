/** Texts by their code points, of which JavaScript has one or two units each. Nothing is as long as a text but the text. */

/** How many code points there are between two positions. */
export function countCodePoints(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = from; at < to; count++) at += unitsAt(text, at);
  return count;
}

/** The position so many code points further on, or the end. */
export function skipCodePoints(text: string, count: number, from = 0): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) at += unitsAt(text, at);
  return Math.min(at, text.length);
}

/** The position before the code point that ends here. */
export function codePointBefore(text: string, end: number): number {
  const isPair = end >= 2 && isLow(text.charCodeAt(end - 1)) && isHigh(text.charCodeAt(end - 2));
  return end - (isPair ? 2 : 1);
}

function unitsAt(text: string, at: number): number {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
