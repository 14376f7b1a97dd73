import { BsonType, BsonWriter, CommandError, ElementCursor, indexName, readString } from '@replsim/protocol';
import type { Expression } from '@replsim/query';
import { bytesOf } from '../fields/values.ts';
import { built } from './builtValues.ts';
import { compileComputed, type ExpressionWorld } from './expressions.ts';
import { OperationVariables } from './operationVariables.ts';
import type { Stage } from './stages.ts';

const outcomes = ['KEEP', 'PRUNE', 'DESCEND'] as const;

/**
 * `$redact`: each document, and each one inside it that `$$DESCEND` leads to, is kept or left out. Simplified: `$$ROOT` is the
 * document looked at, as `$$CURRENT` is. Errors: Location17053. Upstream: document_source_redact.cpp.
 */
export function redactStage({ spec }: Stage, world: ExpressionWorld): (document: Uint8Array) => Uint8Array[] {
  const { filterVariables } = world;
  const variables = OperationVariables.around(filterVariables, filterVariables);
  if (filterVariables instanceof OperationVariables) variables.textScores = filterVariables.textScores;
  for (const name of outcomes)
    variables.set(
      name,
      built((writer) => writer.string('v', `$$${name}`)),
    );
  const expression = compileComputed(spec, { ...world, filterVariables: variables });
  return (document) => {
    const redacted = redact(document, expression);
    return redacted ? [redacted] : [];
  };
}

function redact(document: Uint8Array, expression: Expression): Uint8Array | undefined {
  const value = expression(document);
  switch (value?.type === BsonType.string ? readString(value) : '') {
    case '$$KEEP':
      return document;
    case '$$PRUNE':
      return undefined;
    case '$$DESCEND':
      return descended(document, false, expression);
    default:
      throw new CommandError(
        17053,
        "$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE",
      );
  }
}

/** A document or array in which each document was redacted for itself. */
function descended(container: Uint8Array, isArray: boolean, expression: Expression): Uint8Array {
  const writer = new BsonWriter(container.length);
  const cursor = new ElementCursor(container);
  let length = 0;
  while (cursor.next()) {
    const value = cursor.value();
    const name = isArray ? indexName(length) : cursor.name;
    if (value.type === BsonType.array) {
      const bytes = descended(bytesOf(value), true, expression);
      writer.rawValue(name, { type: BsonType.array, bytes, offset: 0, size: bytes.length });
    } else if (value.type === BsonType.object) {
      const bytes = redact(bytesOf(value), expression);
      if (!bytes) continue;
      writer.rawDocument(name, bytes);
    } else writer.rawValue(name, value);
    length++;
  }
  return writer.finish();
}
