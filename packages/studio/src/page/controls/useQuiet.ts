import { isValidElement, type RefObject, useRef } from 'react';

/**
 * What a control is given, as the same object as long as it would look the same. The page is drawn with each instant, and every control with it
 * gets a new handler, which is no reason to draw it: whoever presses calls the newest.
 */
export function useQuiet<Props extends object>(props: Props): Props {
  const latest = useRef(props);
  latest.current = props;
  const quiet = useRef<{ readonly of: Props; readonly props: Props }>(undefined);
  if (!quiet.current || !looksAlike(quiet.current.of, props))
    quiet.current = { of: props, props: withNewestHandlers(props, latest) };
  return quiet.current.props;
}

type Handler = (...given: readonly unknown[]) => unknown;

function withNewestHandlers<Props extends object>(props: Props, latest: RefObject<Props>): Props {
  const fields = Object.entries(props).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const call: Handler = (...given) => (latest.current as Record<string, Handler | undefined>)[name]?.(...given);
    return [name, call];
  });
  return Object.fromEntries(fields) as Props;
}

/** What a control is given is shallow: texts, icons, lists of options. Anything else is the same only if it is the same. */
export function looksAlike(one: unknown, other: unknown, depth = 8): boolean {
  if (Object.is(one, other) || (typeof one === 'function' && typeof other === 'function')) return true;
  if (depth === 0 || !isPlain(one) || !isPlain(other)) return false;
  if (isValidElement(one))
    return (
      isValidElement(other) &&
      one.type === other.type &&
      one.key === other.key &&
      looksAlike(one.props, other.props, depth - 1)
    );
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => looksAlike(one[name], other[name], depth - 1))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const shape = Object.getPrototypeOf(value);
  return shape === Object.prototype || shape === Array.prototype;
}
