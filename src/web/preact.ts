/** What the page uses of Preact and of its signals. */
export { render, type ComponentChildren, type VNode } from 'preact';
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
export { signal, type ReadonlySignal, type Signal } from '@preact/signals';
