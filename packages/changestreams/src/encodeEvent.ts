import { BsonWriter } from '@replsim/protocol';
import { type StreamEvent, writeNamespace } from './streamEvent.ts';
import { updateDescription } from './updateDescription.ts';

/** What a stream shows of its events beside what everybody sees. */
export interface EventDetail {
  readonly showExpandedEvents: boolean;
  /** The entry's own delta in the place of `updateDescription`. */
  readonly showRawUpdateDescription: boolean;
  /** Since 8.2 UUIDs, spelt-out paths and what a rename did are shown to all. */
  readonly alwaysExpanded: boolean;
  /** Since 8.1 a `create` says of what. */
  readonly showsNsType: boolean;
}

/** Documents that were looked up for an event: null where there was none, undefined where none was wanted. */
export interface EventImages {
  readonly fullDocument?: Uint8Array | null;
  readonly fullDocumentBeforeChange?: Uint8Array | null;
}

/**
 * An event as clients get it, BSON. Fields stand in the order in which a mongod writes them.
 * Upstream: change_stream_event_transform.cpp, ChangeStreamDefaultEventTransformation::applyTransformation.
 * @param token the document
 */
export function encodeEvent(
  event: StreamEvent,
  token: Uint8Array,
  detail: EventDetail,
  images: EventImages,
): Uint8Array {
  const { source, operationType, to, uuid, documentKey, operationDescription, stateBeforeChange, nsType } = event;
  const expanded = detail.showExpandedEvents;
  const writer = new BsonWriter(512);
  if (to) writeNamespace(writer, 'to', to);
  if (source.transaction) {
    writer.int64('txnNumber', source.transaction.txnNumber);
    writer.rawDocument('lsid', source.transaction.lsid);
  }
  writeHead(writer, event, token, operationType);
  if (uuid && !event.isView && (expanded || detail.alwaysExpanded)) writer.binary('collectionUUID', 4, uuid);
  writer.date('wallTime', source.wallMs);
  writeImage(writer, 'fullDocument', event.fullDocument ?? images.fullDocument);
  writeNamespace(writer, 'ns', event.ns);
  if (documentKey) writer.rawDocument('documentKey', documentKey);
  if (operationDescription && (expanded || (detail.alwaysExpanded && to))) {
    writer.rawDocument('operationDescription', operationDescription);
  }
  writeUpdate(writer, event, detail);
  if (stateBeforeChange && expanded) writer.rawDocument('stateBeforeChange', stateBeforeChange);
  if (nsType && detail.showsNsType) writer.string('nsType', nsType);
  writeImage(writer, 'fullDocumentBeforeChange', images.fullDocumentBeforeChange);
  return writer.finish();
}

/** The end of a stream whose collection or database is no more. @param cause after which it comes */
export function encodeInvalidate(cause: StreamEvent, token: Uint8Array): Uint8Array {
  const writer = new BsonWriter(256);
  writeHead(writer, cause, token, 'invalidate');
  writer.date('wallTime', cause.source.wallMs);
  return writer.finish();
}

function writeHead(writer: BsonWriter, { source }: StreamEvent, token: Uint8Array, operationType: string): void {
  writer.rawDocument('_id', token);
  writer.string('operationType', operationType);
  writer.timestamp('clusterTime', source.clusterTime);
}

function writeUpdate(writer: BsonWriter, { delta }: StreamEvent, detail: EventDetail): void {
  if (!delta) return;
  if (detail.showRawUpdateDescription) writer.rawDocument('rawUpdateDescription', delta);
  else {
    const disambiguate = detail.showExpandedEvents || detail.alwaysExpanded;
    writer.rawDocument('updateDescription', updateDescription(delta, disambiguate));
  }
}

function writeImage(writer: BsonWriter, name: string, image: Uint8Array | null | undefined): void {
  if (image === null) writer.null(name);
  else if (image) writer.rawDocument(name, image);
}
