import { Barriers } from './barriers.ts';
import { checkLinkSettings, DirectedLink, type Link, type LinkSettings } from './link.ts';
import type { Random } from './random.ts';

/** The default settings of every link: a healthy local network. */
export const DEFAULT_LINK_SETTINGS: LinkSettings = { latencyMs: [1, 4], loss: 0, duplicate: 0, reorder: 0 };

const NO_DISTANCE: LinkSettings = { latencyMs: [0, 0], loss: 0, duplicate: 0, reorder: 0 };

/**
 * Decides whether, when and how often a message arrives; it holds no messages, the host schedules them.
 * Ends are names, known from the first time they are mentioned. Each directed link draws from a stream of its own, so
 * that traffic on one shifts nothing on another.
 *
 * A partition that begins while a message is in flight stops it: the host calls `deliverable` when it arrives.
 */
export class Network {
  readonly #random: Random;
  readonly #ends = new Set<string>();
  readonly #links = new Map<string, Map<string, DirectedLink>>();
  readonly #barriers = new Barriers();
  /** Ends that share the place of another. */
  readonly #places = new Map<string, string>();
  #defaults: LinkSettings;

  constructor(random: Random, defaults: Partial<LinkSettings> = {}) {
    checkLinkSettings(defaults);
    this.#random = random;
    this.#defaults = { ...DEFAULT_LINK_SETTINGS, ...defaults };
  }

  /** Makes ends known before they send or receive anything, so that `blockedPairs` lists them; at any time, any number. */
  addEnds(...ends: string[]): void {
    for (const end of ends) this.#ends.add(end);
  }

  /**
   * Places an end beside another, as a client in the same data centre: barriers around that one are around it
   * too, and its links to others have that one's settings. It draws from streams of its own, so that its traffic shifts
   * nothing on that one's links; between the two there is no distance.
   */
  place(end: string, at: string): void {
    this.#places.set(end, this.#placeOf(at));
    this.#ends.delete(end);
    this.#refresh();
  }

  /** The link from one end to another, always the same object. Keeping it saves a lookup for each message. */
  link(from: string, to: string): Link {
    return this.#directedLink(from, to);
  }

  /** The delivery times of one message, as `Link.send` decides them. */
  send(from: string, to: string, channel: string, nowMicros: number): readonly number[] {
    return this.#directedLink(from, to).send(channel, nowMicros);
  }

  /** Whether a message that arrives now may be handed over: the same as `reachable`, without looking for barriers. */
  deliverable(from: string, to: string): boolean {
    return this.#directedLink(from, to).deliverable;
  }

  /** Whether no partition or cut keeps `from` from reaching `to`; it makes neither end known. */
  reachable(from: string, to: string): boolean {
    return !this.#barriers.block(this.#placeOf(from), this.#placeOf(to));
  }

  /** The directed pairs of known ends that cannot reach each other, in the order in which the ends became known. */
  blockedPairs(): [from: string, to: string][] {
    const ends = [...this.#ends];
    return ends.flatMap((from) =>
      ends.filter((to) => this.#barriers.block(from, to)).map((to): [string, string] => [from, to]),
    );
  }

  /** Changes the given default settings. Links with settings of their own are not affected. */
  setDefaults(settings: Partial<LinkSettings>): void {
    checkLinkSettings(settings);
    this.#defaults = { ...this.#defaults, ...settings };
    this.#refresh();
  }

  /** Changes the given settings of one directed link, until `heal('all')`. */
  setLink(from: string, to: string, settings: Partial<LinkSettings>): void {
    checkLinkSettings(settings);
    const link = this.#directedLink(from, to);
    link.overrides = { ...link.overrides, ...settings };
    this.#refresh();
  }

  /**
   * Splits the network: ends of different groups cannot talk, either way.
   * Ends in no group, those added later included, form one more group of their own. A partition adds to those there are;
   * it never brings ends together that another keeps apart. A RangeError if an end is in two groups.
   */
  partition(groups: readonly (readonly string[])[]): void {
    this.#barriers.partition(groups);
    this.addEnds(...groups.flat());
    this.#refresh();
  }

  /** Keeps messages of `from` from reaching `to`; those in the other direction still do. */
  cut(from: string, to: string): void {
    this.#barriers.cut(from, to);
    this.addEnds(from, to);
    this.#refresh();
  }

  /**
   * Given ends, removes the partitions and cuts between them and any other end; those between two others stay.
   * Given 'all', removes every partition and cut, and every link's own settings; the defaults stay.
   */
  heal(ends: 'all' | readonly string[]): void {
    if (ends === 'all') {
      this.#barriers.healAll();
      for (const link of this.#allLinks()) link.overrides = {};
    } else {
      this.#barriers.heal(ends, this.#ends);
    }
    this.#refresh();
  }

  #directedLink(from: string, to: string): DirectedLink {
    return this.#links.get(from)?.get(to) ?? this.#newLink(from, to);
  }

  #newLink(from: string, to: string): DirectedLink {
    this.addEnds(...[from, to].filter((end) => !this.#places.has(end)));
    const link = new DirectedLink(from, to, this.#random.split(from, to), this.#defaults, this.reachable(from, to));
    this.#refreshLink(link);
    const siblings = this.#links.get(from);
    if (siblings === undefined) this.#links.set(from, new Map([[to, link]]));
    else siblings.set(to, link);
    return link;
  }

  *#allLinks(): Iterable<DirectedLink> {
    for (const links of this.#links.values()) yield* links.values();
  }

  #refresh(): void {
    for (const link of this.#allLinks()) this.#refreshLink(link);
  }

  #refreshLink(link: DirectedLink): void {
    const [from, to] = [this.#placeOf(link.from), this.#placeOf(link.to)];
    if (from !== link.from || to !== link.to) {
      link.overrides = from === to ? NO_DISTANCE : (this.#links.get(from)?.get(to)?.overrides ?? {});
    }
    link.refresh(this.#defaults, this.reachable(link.from, link.to));
  }

  #placeOf(end: string): string {
    return this.#places.get(end) ?? end;
  }
}
