import { type RefObject, useLayoutEffect, useState } from 'react';

/** How large an element is, so that pictures can be drawn in pixels and letters keep their size. Unit: px; no height is known at first. */
export function useSize(
  element: RefObject<HTMLElement | null>,
  initially: number,
): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: initially, height: 0 });
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      const height = Math.floor(entry?.contentRect.height ?? 0);
      if (width > 0) setSize((last) => (last.width === width && last.height === height ? last : { width, height }));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
