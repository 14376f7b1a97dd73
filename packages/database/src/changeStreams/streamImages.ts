import type { EventImages, StreamEvent } from '@replsim/changestreams';
import { findPreImage } from '@replsim/pipeline';
import { CommandError, encodeName, formatUuid, requiredField } from '@replsim/protocol';
import { applyDiff } from '@replsim/query';
import { encodeKey, type ReadView } from '@replsim/storage';
import type { StreamSpec } from './streamSpec.ts';

const ID = encodeName('_id');

/** What a stream looks documents up in. */
export interface StreamData {
  readonly committed: () => ReadView;
  /** Images are there as soon as their changes are, and gone for all readers once they have expired. */
  readonly newest: () => ReadView;
}

/**
 * The documents that a stream shows beside an event. Only an update lacks what it led to.
 * Errors: NoMatchingDocument 47 for one that is required and not kept.
 * Upstream: document_source_change_stream_add_pre_image.cpp, …_add_post_image.cpp.
 * @param data of the event's time or later
 */
export function imagesOf(
  event: StreamEvent,
  { fullDocument, fullDocumentBeforeChange }: Pick<StreamSpec, 'fullDocument' | 'fullDocumentBeforeChange'>,
  data: StreamData,
): EventImages {
  const { documentKey, delta, operationType } = event;
  if (!documentKey || operationType === 'insert') return {};
  const showsBefore = fullDocumentBeforeChange !== 'off';
  const after = delta ? fullDocument : 'default';
  const computes = after === 'whenAvailable' || after === 'required';
  const before = showsBefore || computes ? preImageOf(event, data.newest()) : undefined;
  if (!before && (fullDocumentBeforeChange === 'required' || after === 'required')) throw noImage(event);
  return {
    ...(computes && delta && { fullDocument: before ? applyDiff(before, delta) : null }),
    ...(after === 'updateLookup' && { fullDocument: currentVersion(event, documentKey, data.committed()) ?? null }),
    ...(showsBefore && { fullDocumentBeforeChange: before ?? null }),
  };
}

/** The document as it is now, wherever it is now: nowhere, if its collection has another name by now. */
function currentVersion({ uuid, ns }: StreamEvent, documentKey: Uint8Array, view: ReadView): Uint8Array | undefined {
  const collection = uuid && view.collectionByUuid(uuid);
  if (!collection || collection.ns !== `${ns.db}.${ns.coll}`) return undefined;
  const recordId = collection.findById(encodeKey(requiredField(documentKey, ID)));
  return recordId === undefined ? undefined : collection.get(recordId)?.bytes;
}

function preImageOf({ uuid, source }: StreamEvent, view: ReadView): Uint8Array | undefined {
  return uuid && findPreImage(view, { uuid, ...source.image });
}

function noImage({ source, uuid, operationType }: StreamEvent): CommandError {
  const { t, i } = source.clusterTime;
  return new CommandError(
    'NoMatchingDocument',
    `the stream was opened so that an image is required, and none is kept for the ${operationType} at Timestamp(${t}, ${i}) ` +
      `in the collection ${uuid ? formatUuid(uuid) : ''}`,
  );
}
