import { BsonType, type BsonValue, BsonWriter, CommandError, readString } from '@replsim/protocol';
import { Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { documentValue } from './builtValues.ts';
import { documentOf, type Stage } from './stages.ts';

/**
 * `$fill` as the stages that it stands for: `$setWindowFields` for methods, `$addFields` for values.
 * Errors: Location6050200 to 6050204, 40414, 40415, TypeMismatch 14. Upstream: document_source_fill.cpp.
 */
export function stagesOfFill(stage: Stage): Stage[] {
  const fields = new Fields(documentOf(stage), '$fill');
  fields.allow(new Set(['partitionBy', 'partitionByFields', 'sortBy', 'output']));
  const output = new Fields(fields.requiredDocument('output'), '$fill.output');
  if (output.names.length === 0) {
    throw new CommandError(6050203, "The output field in '$fill' must contain an object with at least one element");
  }
  const methods: [path: string, method: string][] = [];
  const values: [path: string, value: BsonValue][] = [];
  for (const path of output.names) {
    const { method, value } = parseOutput(output.presentValue(path));
    if (method !== undefined) methods.push([path, method === 'locf' ? '$locf' : '$linearFill']);
    if (value) values.push([path, value]);
  }
  const partitionBy = partitionOf(fields);
  const sortBy = fields.document('sortBy');
  const stages: Stage[] = [];
  if (methods.length > 0) stages.push(windowFields(methods, partitionBy, sortBy));
  if (values.length > 0) stages.push(addFields(values));
  return stages;
}

function parseOutput(spec: BsonValue): { readonly method: string | undefined; readonly value: BsonValue | undefined } {
  if (spec.type !== BsonType.object) {
    throw new CommandError(6050200, 'Each fill output specification must be an object with exactly one field');
  }
  const fields = new Fields(bytesOf(spec), '$fill');
  fields.allow(new Set(['method', 'value']));
  const method = fields.string('method');
  const value = fields.rawValue('value');
  if (method !== undefined && value) {
    throw new CommandError(
      6050201,
      "Each fill output specification must have exactly one of 'method' or 'value' fields, not both",
    );
  }
  if (method !== undefined && method !== 'locf' && method !== 'linear') {
    throw new CommandError(6050202, 'Method must be either locf or linear');
  }
  return { method, value };
}

function partitionOf(fields: Fields): BsonValue | undefined {
  const partitionBy = fields.value('partitionBy');
  const names = fields.array('partitionByFields');
  if (!names) {
    if (!partitionBy || partitionBy.type === BsonType.string || partitionBy.type === BsonType.object)
      return partitionBy;
    throw new CommandError(
      'TypeMismatch',
      "BSON field '$fill.partitionBy' is the wrong type, expected a string or an object",
    );
  }
  if (partitionBy) {
    throw new CommandError(6050204, "Maximum one of 'partitionBy' and 'partitionByFields' can be specified in '$fill'");
  }
  const writer = new BsonWriter();
  for (const [i, name] of names.entries()) {
    if (name.type !== BsonType.string) {
      throw new CommandError(
        'TypeMismatch',
        "BSON field '$fill.partitionByFields' is the wrong type, expected strings",
      );
    }
    // One name for each, as a path with a dot is none for a field of an object.
    writer.string(`f${i}`, `$${readString(name)}`);
  }
  return documentValue(writer.finish());
}

function windowFields(
  methods: readonly (readonly [path: string, method: string])[],
  partitionBy: BsonValue | undefined,
  sortBy: Uint8Array | undefined,
): Stage {
  const writer = new BsonWriter();
  if (partitionBy) writer.rawValue('partitionBy', partitionBy);
  if (sortBy) writer.rawDocument('sortBy', sortBy);
  writer.beginDocument('output');
  for (const [path, method] of methods) {
    writer.beginDocument(path);
    writer.string(method, `$${path}`);
    writer.endDocument();
  }
  writer.endDocument();
  return { name: '$setWindowFields', spec: documentValue(writer.finish()) };
}

function addFields(values: readonly (readonly [path: string, value: BsonValue])[]): Stage {
  const writer = new BsonWriter();
  for (const [path, value] of values) {
    writer.beginDocument(path);
    writer.beginArray('$ifNull');
    writer.string('0', `$${path}`);
    writer.rawValue('1', value);
    writer.endArray();
    writer.endDocument();
  }
  return { name: '$addFields', spec: documentValue(writer.finish()) };
}
