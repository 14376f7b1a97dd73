import { Decimal128, Double, Int32, Long } from 'bson';
import { type Filling, fillFields, type Template } from '../file/placeholder.ts';
import { whyIdle } from '../mongod/idleParameters.ts';

/**
 * Parameters as plain values, as `setParameter` on a command line gives them; a double keeps its class only in documents. Those that
 * have no effect here are left out: whoever checks the file warns of them.
 */
export function parametersOf(template: Template, filling?: Filling): Record<string, unknown> {
  const value = filling ? fillFields(template.value, filling) : template.value;
  const plain = [...value].map(([key, each]) => [key, plainOf(each)] as const);
  return Object.fromEntries(plain.filter(([key, each]) => whyIdle(key, each) === undefined));
}

function plainOf(value: unknown): unknown {
  if (value instanceof Double || value instanceof Int32) return value.value;
  if (value instanceof Long) return value.toNumber();
  if (typeof value === 'bigint' || value instanceof Decimal128) return Number(String(value));
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plainOf(each)]));
  return value;
}
