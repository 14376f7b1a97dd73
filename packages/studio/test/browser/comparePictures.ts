import type { Page } from 'playwright-core';

/** A channel may differ by so much: letters are not smoothed alike everywhere. */
const SLIGHT = 40;

/**
 * The share of pixels by which two PNGs differ; 1 where their sizes do. The browser decodes them, so that nothing else has to.
 * @param page any page
 */
export function differingShare(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = [one, other].map((png) => JSON.stringify(`data:image/png;base64,${png.toString('base64')}`));
  return page.evaluate(`(async () => {
    const pixelsOf = async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [a, b] = [await pixelsOf(${a}), await pixelsOf(${b})];
    if (a.width !== b.width || a.height !== b.height) return 1;
    let differing = 0;
    for (let i = 0; i < a.data.length; i += 4)
      if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > ${SLIGHT})) differing++;
    return differing / (a.width * a.height);
  })()`) as Promise<number>;
}
