/**
 * The composition and its schemas, for the packages of this repository. These names are outside of semantic
 * versioning: do not import them.
 */
export { type Composition, compose, EDGE_BROKERAGE_OPTIONS } from './compose.ts'
export { EDGE_OBSERVER } from './observer.ts'
export { findPlugin } from './plugins.ts'
