import type { BsonValue } from '@replsim/protocol';
import { buildValue } from '../values.ts';
import type { Control } from './operator.ts';

/**
 * `1 / (1 + e^-x)`, put together of other operators, so that it takes and refuses what these do.
 * Upstream: expression.cpp, ExpressionSigmoid::parseExpressionSigmoid.
 */
export const sigmoid: Control = (operand, compile) => compile(called(operand));

function called(x: BsonValue): BsonValue {
  return buildValue((writer, name) => {
    writer.beginDocument(name);
    writer.beginArray('$divide');
    writer.int32('0', 1);
    writer.beginDocument('1');
    writer.beginArray('$add');
    writer.int32('0', 1);
    writer.beginDocument('1');
    writer.beginDocument('$exp');
    writer.beginArray('$multiply');
    writer.int32('0', -1);
    writer.rawValue('1', x);
    writer.endArray();
    writer.endDocument();
    writer.endDocument();
    writer.endArray();
    writer.endDocument();
    writer.endArray();
    writer.endDocument();
  });
}
