/** VitePress' own theme, and the components of the workbench. */

import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineAsyncComponent } from 'vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // Only the page of the workbench loads the packages.
    app.component(
      'SignWorkbench',
      defineAsyncComponent(() => import('./SignWorkbench.vue')),
    )
    app.component(
      'DecodeWorkbench',
      defineAsyncComponent(() => import('./DecodeWorkbench.vue')),
    )
    app.component(
      'TokenWorkbench',
      defineAsyncComponent(() => import('./TokenWorkbench.vue')),
    )
    app.component(
      'RecordingWorkbench',
      defineAsyncComponent(() => import('./RecordingWorkbench.vue')),
    )
  },
} satisfies Theme
