/** Older messages are not shown. Unit: µs. Upstream: topology_coordinator.cpp, TopologyCoordinator::_getHbmsg. */
const SHOWN_FOR_MICROS = 120_000_000;

/** A member's word about itself in `replSetGetStatus`, such as that it finds nobody to sync from. It expires. */
export class InfoMessage {
  #text = '';
  #saidMicros = 0;

  say(text: string, nowMicros: number): void {
    this.#text = text;
    this.#saidMicros = nowMicros;
  }

  at(nowMicros: number): string {
    return nowMicros - this.#saidMicros > SHOWN_FOR_MICROS ? '' : this.#text;
  }
}
