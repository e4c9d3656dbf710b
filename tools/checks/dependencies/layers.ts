/**
 * The layers inside a package, from the bottom to the top. A file imports from its own layer and from earlier
 * ones. Each entry is the beginning of a path below `src`. A file that no entry matches belongs to the top
 * layer.
 */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  streams: [
    ['streams-error.ts'],
    ['transport/'],
    ['items/'],
    ['module-selection.ts', 'observer.ts', 'budget.ts'],
    [
      'supervisor/machine-types',
      'supervisor/policy',
      'supervisor/status',
      'supervisor/steps',
      'supervisor/transition',
    ],
    ['subscription/'],
    ['completeness/'],
    ['delivery/'],
    ['supervisor/supervisor'],
  ],
}
