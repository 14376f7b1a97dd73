/**
 * An object that stands for another, which is not there yet.
 * @param current the other; throws while there is none
 */
export function standingFor<Thing extends object>(prototype: Thing | null, current: () => Thing): Thing {
  return new Proxy(Object.create(prototype) as Thing, {
    get: (_, key) => {
      const thing = current();
      const value = Reflect.get(thing, key, thing);
      return typeof value === 'function' ? value.bind(thing) : value;
    },
    set: (_, key, value) => Reflect.set(current(), key, value),
  });
}
