// What the tab "activity" can show.
export const activityViews = ['events', 'runs'] as const;
