import { canvasFor, imageOf, paint } from './canvas.ts';

const TYPES = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'];
const FRAMES_PER_SECOND = 20;
/** Nobody waits for longer: what is left is not in it. Unit: ms. */
export const LONGEST_VIDEO_MS = 30_000;

/** So long the last picture stands: the shortest stretch is a video that can be seen. Unit: ms. */
const STILL_MS = 700;

/** What this browser can record; undefined if it can record nothing. */
export function videoType(): string | undefined {
  if (typeof MediaRecorder === 'undefined' || !('captureStream' in HTMLCanvasElement.prototype)) return undefined;
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type));
}

/**
 * Records pictures as they follow each other: it takes as long as it will last.
 * @param svgAt the picture so many milliseconds after the beginning
 * @throws Error if the browser can record nothing, or stops recording
 */
export async function videoOf(svgAt: (millis: number) => string, lastsMs: number): Promise<Blob> {
  const type = videoType();
  if (type === undefined) throw new Error('this browser cannot record a video');
  const first = await imageOf(svgAt(0));
  const canvas = canvasFor(first);
  paint(canvas, first);
  const stream = canvas.captureStream(FRAMES_PER_SECOND);
  const recorder = new MediaRecorder(stream, { mimeType: type });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise<void>((resolve, reject) => {
    recorder.onstop = () => resolve();
    recorder.onerror = () => reject(new Error('the browser has stopped recording'));
  });
  recorder.start();
  const began = performance.now();
  let millis = 0;
  do {
    millis = Math.min(performance.now() - began, lastsMs + STILL_MS);
    paint(canvas, await imageOf(svgAt(Math.min(millis, lastsMs))));
    await new Promise((resolve) => setTimeout(resolve, 1000 / FRAMES_PER_SECOND));
  } while (millis < lastsMs + STILL_MS);
  recorder.stop();
  await ended;
  for (const track of stream.getTracks()) track.stop();
  return new Blob(parts, { type });
}
