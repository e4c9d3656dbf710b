/** The composition and its schemas, for the packages of this repository. Outside semantic versioning: do not import it. */
export { type Composition, compose, EDGE_BROKERAGE_OPTIONS } from './compose.ts'
export { findPlugin } from './plugins.ts'
