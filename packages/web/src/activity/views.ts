// The views of the Activity tab.
export const activityViews = ['events', 'runs'] as const;
