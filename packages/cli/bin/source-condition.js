/** Resolve hook: adds the workspace's source condition to whatever the rest of the chain resolves with. */
const CONDITION = '@brokerwire/source'

export function resolve(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, CONDITION] })
}
