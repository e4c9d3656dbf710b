/** The Worker of the tests: exports the object, as the README says. */
export { StoreObject } from '../durable-object/index.ts'

const worker = { fetch: () => new Response(null, { status: 404 }) }
// biome-ignore lint/style/noDefaultExport: the platform takes a Worker's handlers from there
export default worker
