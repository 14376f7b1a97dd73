/**
 * Creates an object that stands for another one, which does not exist yet.
 * @param current returns the other object; throws while there is none
 * @param own properties that are not forwarded
 */
export function standingFor<Thing extends object>(
  prototype: Thing | null,
  current: () => Thing,
  own: Partial<Thing> = {},
): Thing {
  return new Proxy(Object.create(prototype) as Thing, {
    get: (_, key) => {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const thing = current();
      const value = Reflect.get(thing, key, thing);
      return typeof value === 'function' ? value.bind(thing) : value;
    },
    set: (_, key, value) => Reflect.set(current(), key, value),
  });
}
