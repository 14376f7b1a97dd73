/** So many pixels of a picture stand for one of the drawing: text stays sharp. */
const DENSITY = 2;

/** @throws Error if the browser cannot draw it */
export async function imageOf(svg: string): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function canvasFor({ width, height }: HTMLImageElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width * DENSITY;
  canvas.height = height * DENSITY;
  return canvas;
}

/** Over what was there: a drawing has its own ground. */
export function paint(canvas: HTMLCanvasElement, image: HTMLImageElement): void {
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
}

/** @throws Error if the picture is too large for this browser */
export async function pngOf(svg: string): Promise<Blob> {
  const image = await imageOf(svg);
  const canvas = canvasFor(image);
  paint(canvas, image);
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!png) throw new Error('this browser cannot make so large a picture');
  return png;
}
