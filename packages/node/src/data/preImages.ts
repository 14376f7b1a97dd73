import { preImageDocument } from '@replsim/pipeline';
import { type OplogEntry, PRE_IMAGES_NS, type SharedDocument } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { ApplyTarget } from './applyHost.ts';

/**
 * Keeps what a change takes away, on a primary with the change itself, on the others when they apply it: the oplog does not tell
 * of it. Upstream: change_stream_pre_images_op_observer.cpp; oplog.cpp, writeChangeStreamPreImage.
 * @param before the document as it was
 * @param applyOpsIndex the place of the operation in its entry
 * @returns whether it was kept
 */
export function keepPreImage(
  { engine }: Pick<ApplyTarget, 'engine'>,
  collection: CollectionView,
  { opTime, wallMs }: OplogEntry,
  before: SharedDocument,
  applyOpsIndex = 0,
): boolean {
  const images = engine.collection(PRE_IMAGES_NS);
  if (!images) return false;
  const key = { uuid: collection.uuid, ts: opTime.ts, applyOpsIndex };
  const image = preImageDocument(key, wallMs, before.bytes);
  // Who recovers applies an entry again.
  if (images.findById(image.idKey) !== undefined) return false;
  engine.insert(PRE_IMAGES_NS, image);
  return true;
}
