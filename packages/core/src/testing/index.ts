/** Virtual time and seeded randomness for tests: `@brokerwire/core/testing`. */
export { createSeededRandom } from './random.ts'
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts'
