import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

/** The text of a picture, which is one `svg` element: drawn apart from the page, and gone again. */
export function svgOf(picture: ReactNode): string {
  const place = document.createElement('div');
  const root = createRoot(place);
  flushSync(() => root.render(picture));
  const drawn = place.querySelector('svg');
  const text = drawn ? new XMLSerializer().serializeToString(drawn) : '';
  root.unmount();
  return `${text}\n`;
}
