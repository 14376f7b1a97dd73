/** How others zoom: keys. */
export interface TimelineDoor {
  zoom(factor: number): void;
  pan(share: number): void;
  fit(): void;
}
