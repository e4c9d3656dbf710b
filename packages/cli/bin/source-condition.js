/** Resolve hook that adds the workspace's source condition to the conditions of all other hooks. */
const CONDITION = '@brokerwire/source'

export function resolve(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, CONDITION] })
}
