declare const handleBrand: unique symbol;

/**
 * An opaque handle of one scheduled event, with which it can be cancelled.
 * Shape: the slot in the upper bits, the low 32 bits of the event's order below. The queue that returned it must be the one
 * that takes it back; once its event is popped or cancelled it means nothing, even if the slot has a new tenant.
 */
export type EventHandle = number & { readonly [handleBrand]: true };

/**
 * The events that are still to happen, in order of time, and in order of scheduling where times are equal.
 * Unit: integer microseconds of virtual time. The queue does not know what time it is; its user does.
 */
export class EventQueue<T> {
  // A 4-ary heap. Entry i is (#times[i], #orders[i], #slots[i]); the root is the earliest.
  #times = new Float64Array(INITIAL_CAPACITY);
  #orders = new Float64Array(INITIAL_CAPACITY);
  #slots = new Int32Array(INITIAL_CAPACITY);
  #entries = 0;
  // A slot holds a payload, and the order of the event that owns it: 0 when it is free. An entry whose order is not its
  // slot's is dead. That makes cancelling a matter of freeing the slot, which may be let again at once.
  #payloads: (T | undefined)[] = [];
  #tenants: number[] = [];
  #freeSlots: number[] = [];
  /** For each event, by its slot: the value of `cause` when it was scheduled. */
  #causes: number[] = [];
  #scheduled = 0;
  /** The cause of everything scheduled from now on. The queue only returns it with the event. */
  cause = 0;

  /** How many events are pending; cancelled ones do not count. */
  get size(): number {
    return this.#payloads.length - this.#freeSlots.length;
  }

  /**
   * Adds an event.
   * @param atMicros an integer, else a RangeError: a fraction or a NaN would silently break the order
   */
  schedule(atMicros: number, payload: T): EventHandle {
    if (!Number.isSafeInteger(atMicros)) throw new RangeError(`atMicros must be an integer, not ${atMicros}`);
    const order = ++this.#scheduled;
    const slot = this.#freeSlots.pop() ?? this.#newSlot();
    this.#payloads[slot] = payload;
    this.#tenants[slot] = order;
    this.#causes[slot] = this.cause;
    if (this.#entries === this.#times.length) this.#grow();
    this.#siftUp(this.#entries++, atMicros, order, slot);
    return (slot * TWO_TO_32 + (order >>> 0)) as EventHandle;
  }

  /** Takes an event back, at constant cost on average; false if it was popped or cancelled before. */
  cancel(handle: EventHandle): boolean {
    const slot = Math.floor(handle / TWO_TO_32);
    const order = this.#tenants[slot];
    if (order === undefined || order === 0 || order >>> 0 !== handle >>> 0) return false;
    this.#free(slot);
    // A timer that is armed again before it ever fires leaves one dead entry each time; no more of them than live ones
    // (and a few) may stay, so a sweep is paid for by the cancellations since the last.
    if (this.#entries > 2 * this.size + SPARE_ENTRIES) this.#sweep();
    return true;
  }

  /** When the earliest event is due, in microseconds; undefined if none is pending. */
  peekTime(): number | undefined {
    this.#dropDeadRoot();
    return this.#entries === 0 ? undefined : this.#times[0];
  }

  /** Removes the earliest event and returns it; undefined if none is pending. */
  pop(): { atMicros: number; payload: T; cause: number } | undefined {
    this.#dropDeadRoot();
    if (this.#entries === 0) return undefined;
    const slot = this.#slots[0]!;
    const event = { atMicros: this.#times[0]!, payload: this.#payloads[slot] as T, cause: this.#causes[slot]! };
    this.#free(slot);
    this.#removeRoot();
    return event;
  }

  #newSlot(): number {
    const slot = this.#payloads.length;
    if (slot === MAX_PENDING) throw new RangeError(`more than ${MAX_PENDING} events are pending`);
    return slot;
  }

  #free(slot: number): void {
    this.#payloads[slot] = undefined; // the queue must not keep alive what nobody will receive
    this.#tenants[slot] = 0;
    this.#freeSlots.push(slot);
  }

  #isDead(entry: number): boolean {
    return this.#tenants[this.#slots[entry]!] !== this.#orders[entry];
  }

  #dropDeadRoot(): void {
    while (this.#entries > 0 && this.#isDead(0)) this.#removeRoot();
  }

  #removeRoot(): void {
    const last = --this.#entries;
    if (last > 0) this.#siftDown(0, this.#times[last]!, this.#orders[last]!, this.#slots[last]!);
  }

  /** Removes every dead entry. (time, order) is a total order, so rebuilding the heap cannot change what is popped. */
  #sweep(): void {
    let kept = 0;
    for (let entry = 0; entry < this.#entries; entry++) {
      if (this.#isDead(entry)) continue;
      this.#place(kept++, this.#times[entry]!, this.#orders[entry]!, this.#slots[entry]!);
    }
    this.#entries = kept;
    for (let entry = (kept - 2) >> 2; entry >= 0; entry--)
      this.#siftDown(entry, this.#times[entry]!, this.#orders[entry]!, this.#slots[entry]!);
  }

  /** Carries the hole at `entry` towards the root, until what is to fill it is not earlier than its parent. */
  #siftUp(entry: number, time: number, order: number, slot: number): void {
    const times = this.#times;
    let hole = entry;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      // A new entry has the highest order of all, so an equal time never passes.
      if (times[parent]! <= time) break;
      this.#place(hole, times[parent]!, this.#orders[parent]!, this.#slots[parent]!);
      hole = parent;
    }
    this.#place(hole, time, order, slot);
  }

  /** Carries the hole at `entry` towards the leaves, until what is to fill it is earlier than all its children. */
  #siftDown(entry: number, time: number, order: number, slot: number): void {
    const times = this.#times;
    const orders = this.#orders;
    let hole = entry;
    for (let first = 4 * hole + 1; first < this.#entries; first = 4 * hole + 1) {
      const end = Math.min(first + 4, this.#entries);
      let child = first;
      let childTime = times[first]!;
      for (let other = first + 1; other < end; other++) {
        const otherTime = times[other]!;
        if (otherTime < childTime || (otherTime === childTime && orders[other]! < orders[child]!)) {
          child = other;
          childTime = otherTime;
        }
      }
      if (time < childTime || (time === childTime && order < orders[child]!)) break;
      this.#place(hole, childTime, orders[child]!, this.#slots[child]!);
      hole = child;
    }
    this.#place(hole, time, order, slot);
  }

  #place(entry: number, time: number, order: number, slot: number): void {
    this.#times[entry] = time;
    this.#orders[entry] = order;
    this.#slots[entry] = slot;
  }

  #grow(): void {
    const { length } = this.#times;
    const times = new Float64Array(2 * length);
    const orders = new Float64Array(2 * length);
    const slots = new Int32Array(2 * length);
    times.set(this.#times);
    orders.set(this.#orders);
    slots.set(this.#slots);
    this.#times = times;
    this.#orders = orders;
    this.#slots = slots;
  }
}

const INITIAL_CAPACITY = 64;
const SPARE_ENTRIES = 64;
const TWO_TO_32 = 2 ** 32;
/** Limits slots so that slot and order fit into the 53 bits of a handle. */
const MAX_PENDING = 2 ** 21;
