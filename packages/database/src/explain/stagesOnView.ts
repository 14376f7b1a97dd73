import { isEmptyDocument, naturalDirection, newValue, type Stage, shapeOf } from '@replsim/pipeline';
import { type BsonWriter, writeJsValue } from '@replsim/protocol';
import type { Explained } from './explained.ts';

/** A query as the stages that it is on a view, where natural order is a hint. Upstream: query_request_conversion.cpp. */
export function stagesOnView({ spec }: Explained): Stage[] {
  const { filter, sort, skip, limit, projection } = spec;
  const stage = (name: string, write: (writer: BsonWriter, field: string) => void): Stage => ({
    name,
    spec: newValue(write),
  });
  const document = (name: string, bytes: Uint8Array | undefined) =>
    bytes && !isEmptyDocument(bytes) ? [stage(name, (writer, field) => writer.rawDocument(field, bytes))] : [];
  return [
    ...document('$match', filter.bytes),
    ...(naturalDirection(sort) ? [] : document('$sort', sort)),
    ...(skip > 0 ? [stage('$skip', (writer, field) => writeJsValue(writer, field, BigInt(skip)))] : []),
    ...(Number.isFinite(limit) ? [stage('$limit', (writer, field) => writeJsValue(writer, field, BigInt(limit)))] : []),
    ...(shapeOf(projection) ? document('$project', projection) : []),
  ];
}
