package search_test

import "testing"

// What is true of segments in memory is true of parts of few records that are streamed: world.streams sees the name of this test.
func TestStreamed(t *testing.T) {
	for name, test := range map[string]func(t *testing.T){
		"changes":                         TestChanges,
		"many changes":                    TestManyChanges,
		"own changes":                     TestOwnChangesBeforeOthersSeeThem,
		"slow clock":                      TestSlowClock,
		"late entry":                      TestLateEntry,
		"merges at the same time":         TestMergesAtTheSameTime,
		"merge that dies":                 TestMergeThatDies,
		"merge without the bucket":        TestMergeWithoutTheBucket,
		"stalled merge":                   TestStalledMerge,
		"search without the bucket":       TestSearchWithoutTheBucket,
		"restored table":                  TestRestoredTable,
		"restored without segments":       TestRestoredTableWithoutItsSegments,
		"new column":                      TestNewColumn,
		"new version":                     TestNewVersion,
		"interrupted rebuild":             TestInterruptedRebuild,
		"import":                          TestImport,
		"old manifest after an import":    TestOldManifestAfterAnImport,
		"dead import":                     TestDeadImport,
		"import between reads of a merge": TestImportBetweenTheReadsOfAMerge,
		"custom fields":                   TestCustomFields,
		"compare":                         TestCompareAndMakeAnew,
		"compare while others write":      TestCompareWhileOthersWrite,
		"soak":                            TestSoak,
	} {
		t.Run(name, test)
	}
}
