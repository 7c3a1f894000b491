package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

func known() rules.Catalog {
	many := map[string][]string{"pst": {"dty_b"}}
	for i := range 40 {
		many["pst_many"] = append(many["pst_many"], fmt.Sprint("dty_", i))
	}
	return rules.Catalog{
		TypeID: "dty_a", TypeName: "Work permit",
		References: []string{"permit.class", "permit.number"},
		CandidateFields: map[string]string{"permitNumber": dossier.FieldText,
			"driver": dossier.FieldBoolean, "skills": dossier.FieldList},
		DocumentFields: map[string]string{"issuer": dossier.FieldText,
			"pages": dossier.FieldNumber},
		DocumentTypes: map[string]bool{"dty_a": true, "dty_b": true, "dty_c": true},
		Forms:         map[string]bool{"frm": true},
		Presets:       map[string]bool{"pst": true, "pst_many": true},
		Scenarios:     map[string]bool{"scn": true, "scn_mute": false},
		PresetAdds:    many, RuleIDs: map[string]bool{"rul_1": true, "rul_2": true, "rul_3": true},
	}
}

func condition(kind, reference, operator string, value any) dossier.Rule {
	return dossier.Rule{ConditionsType: dossier.ConditionsAnd,
		Conditions: []dossier.Condition{
			{Type: kind, Reference: reference, Operator: operator, Value: value},
		}}
}

func metadata(m map[string]any) dossier.Rule {
	return always(dossier.Action{Type: dossier.ActionAddDocumentType, Value: "dty_b", Metadata: m})
}

func action(kind, value string) dossier.Rule {
	return always(dossier.Action{Type: kind, Value: value})
}

const value, reference = "/conditions/0/value", "/conditions/0/reference"

var fields, context = dossier.ConditionFields, dossier.ConditionContext

var problemCases = map[string]struct {
	rule    dossier.Rule
	pointer string // below the rule, empty where nothing is wrong
	want    string // code, and what the message has to hold
}{
	"OK scalar text": {condition(fields, "permit.class", "contains", "C"), "", ""},
	"OK list": {
		condition(fields, "permit.class", "isEqual", []any{"C", 5.0, true}), "", "",
	},
	"OK object above a reference": {condition(fields, "permit", "isNotEmpty", nil), "", ""},
	"OK context":                  {condition(context, "nationality", "isEqual", "NLD"), "", ""},
	"OK context list": {condition(context, "documentTypes", "contains", "dty_b"), "",
		""},
	"OK custom field": {condition(context, "cf_permitNumber", "isNotEmpty", nil), "",
		""},
	"OK document custom field": {condition(context, "dcf_issuer", "isNotEqual", ""), "", ""},
	"OK actions": {
		always(add("dty_b"), remove("dty_c"), removeForm("frm"), apply("pst"), notify("scn")),
		"", "",
	},
	"OK metadata": {metadata(map[string]any{"required": false, "dueAt": "2026-05-01T00:00:00Z",
		"note":         "x",
		"customFields": map[string]any{"issuer": "IND", "pages": 2.0}}), "", ""},
	"OK id": {dossier.Rule{ID: "rul_1", ConditionsType: "and"}, "", ""},

	"ErrConditionsType": {dossier.Rule{ConditionsType: "an"}, "/conditionsType",
		"unknown possible values are: or, and."},
	"ErrNoConditionsType": {dossier.Rule{}, "/conditionsType", "required or, and"},
	"ErrRuleID": {dossier.Rule{ID: "rul_9", ConditionsType: "and"}, "/id",
		"unknown rul_9"},
	"ErrType": {condition("field", "permit.class", "isEmpty", nil),
		"/conditions/0/type", "unknown possible values are: fields, context."},
	"ErrOperator": {condition(fields, "permit.class", "isEqal", "C"),
		"/conditions/0/operator", "unknown " + strings.Join(dossier.OperatorNames(), ", ")},
	"ErrNoOperator": {condition(fields, "permit.class", "", "C"),
		"/conditions/0/operator", "required notContains"},
	"ErrNoReference": {condition(fields, " ", "isEmpty", nil), reference, "required "},
	"ErrLongReference": {condition(fields, strings.Repeat("x", 101), "isEmpty", nil),
		reference, "tooLong 100"},
	"ErrReference": {condition(fields, "permit.clas", "isEmpty", nil), reference,
		"unknown \"permit.class\""},
	"ErrContextKey": {condition(context, "nationalty", "isEmpty", nil), reference,
		"unknown \"nationality\""},
	"ErrContextKeyFarOff": {condition(context, "favouriteColour", "isEmpty", nil), reference,
		"unknown context key."},
	"ErrCustomField": {condition(context, "cf_permitNo", "isEmpty", nil), reference,
		"unknown candidate custom field"},
	"ErrCustomFieldNear": {condition(context, "cf_permitNumbr", "isEmpty", nil), reference,
		"unknown \"cf_permitNumber\""},
	"ErrDocumentField": {condition(context, "dcf_permitNumber", "isEmpty", nil), reference,
		"unknown document custom field"},
	"ErrNoValue": {condition(fields, "permit.class", "isEqual", nil), value,
		"required isEqual"},
	"ErrValueOfIsEmpty": {condition(fields, "permit.class", "isEmpty", "x"), value,
		"notAllowed isEmpty"},
	"ErrEmptyList": {condition(fields, "permit.class", "isEqual", []any{}), value,
		"required "},
	"ErrObject": {
		condition(fields, "permit.class", "isEqual", map[string]any{"a": "b"}), value, "wrongType ",
	},
	"ErrNested": {
		condition(fields, "permit.class", "isEqual", []any{"a", []any{"b"}}), value + "/1",
		"wrongType ",
	},
	"ErrNullInList": {condition(fields, "permit.class", "isEqual", []any{nil}),
		value + "/0", "wrongType "},
	"ErrLongValue": {
		condition(fields, "permit.class", "isEqual", strings.Repeat("é", 1001)), value,
		"tooLong 1000",
	},
	"ErrLongList": {condition(fields, "permit.class", "isEqual", make([]any, 101)),
		value, "tooMany 100"},
	"ErrContainsNothing": {condition(fields, "permit.class", "contains", []any{"a", " "}),
		value + "/1", "required "},
	"ErrActionType": {action("addDocument", "dty_b"), "/actions/0/type",
		"unknown addDocument"},
	"ErrActionValue": {action(dossier.ActionAddDocumentType, ""), "/actions/0/value",
		"required document type"},
	"ErrNoSuchForm": {action(dossier.ActionRemoveForm, "frm_x"), "/actions/0/value",
		"unknown form"},
	"ErrWrongKind": {action(dossier.ActionRemoveForm, "dty_b"), "/actions/0/value",
		"wrongType document type, not of a form"},
	"ErrPresetIsScenario": {action(dossier.ActionApplyPreset, "scn"), "/actions/0/value",
		"wrongType scenario, not of a preset"},
	"ErrTypeIsPreset": {action(dossier.ActionAddDocumentType, "pst"), "/actions/0/value",
		"wrongType preset, not"},
	"ErrMuteScenario": {action(dossier.ActionSendNotification, "scn_mute"),
		"/actions/0/value", "wrongType no notification"},
	"ErrMetadataElsewhere": {
		always(dossier.Action{Type: dossier.ActionRemoveForm, Value: "frm",
			Metadata: map[string]any{}}), "/actions/0/metadata", "notAllowed ",
	},
	"ErrMetadataSize": {metadata(map[string]any{"note": strings.Repeat("x", 5000)}),
		"/actions/0/metadata", "tooLong 4096"},
	"ErrMetadataRequired": {metadata(map[string]any{"required": "yes"}),
		"/actions/0/metadata/required", "wrongType "},
	"ErrMetadataDueAt": {metadata(map[string]any{"dueAt": "tomorrow"}),
		"/actions/0/metadata/dueAt", "wrongType "},
	"ErrMetadataCustomFields": {metadata(map[string]any{"customFields": "x"}),
		"/actions/0/metadata/customFields", "wrongType "},
	"ErrMetadataField": {
		metadata(map[string]any{"customFields": map[string]any{"a/b~": 1.0}}),
		"/actions/0/metadata/customFields/a~1b~0", "unknown ",
	},
	"ErrMetadataFieldType": {
		metadata(map[string]any{"customFields": map[string]any{"pages": "two"}}),
		"/actions/0/metadata/customFields/pages", "wrongType ",
	},
	"ErrManyConditions": {
		dossier.Rule{ConditionsType: "or",
			Conditions: repeat(condition(fields, "permit", "isEmpty", nil).Conditions[0], 31)},
		"/conditions", "tooMany 30",
	},
	"ErrManyActions": {always(repeat(add("dty_b"), 21)...), "/actions", "tooMany 20"},
}

func TestReviewProblems(t *testing.T) {
	t.Parallel()
	for name, c := range problemCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems, warnings := rules.Review(
				dossier.Submission{Rules: []dossier.Rule{always(), c.rule}}, known())
			if c.want == "" {
				if len(problems) > 0 || len(warnings) > 0 {
					t.Errorf("problems %v, warnings %v", problems, warnings)
				}
				return
			}
			code, text, _ := strings.Cut(c.want, " ")
			if len(problems) != 1 || problems[0].Pointer != "/submission/rules/1"+c.pointer ||
				string(problems[0].Code) != code || !strings.Contains(problems[0].Message, text) {
				t.Errorf("problems are %q", problems)
			}
			if warnings != nil {
				t.Errorf("warned of what is not saved: %v", warnings)
			}
		})
	}
}

func repeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestReviewOfTheWhole(t *testing.T) {
	t.Parallel()
	full := always(apply("pst_many"), notify("scn"))
	all := make([]any, 100)
	for i := range all {
		all[i] = strings.Repeat("x", 1000)
	}
	for name, c := range map[string]struct {
		rules []dossier.Rule
		want  []string // pointer and code
	}{
		"OK": {repeat(always(add("dty_b")), dossier.MaxRules), nil},
		"OK any parser": {[]dossier.Rule{
			condition(dossier.ConditionFields, "what.ever", "isEmpty", nil),
		}, nil},
		"ErrManyRules": {repeat(always(), dossier.MaxRules+1),
			[]string{"/submission/rules tooMany"}},
		"ErrManyEffects": {[]dossier.Rule{full}, []string{"/submission/rules tooMany"}},
		"ErrLong": {[]dossier.Rule{
			condition(dossier.ConditionFields, "permit.class", "isEqual", all),
		}, []string{"/submission tooLong"}},
		"ErrDuplicate": {[]dossier.Rule{{ID: "rul_1", ConditionsType: "and"},
			{ID: "rul_1", ConditionsType: "or"}}, []string{"/submission/rules/1/id duplicate"}},
		"ErrEveryProblem": {[]dossier.Rule{{ConditionsType: "x"}, action("x", "")},
			[]string{"/submission/rules/0/conditionsType unknown",
				"/submission/rules/1/actions/0/type unknown"}},
		"ErrVeryMany": {repeat(dossier.Rule{ConditionsType: "or",
			Conditions: repeat(dossier.Condition{Type: "x", Operator: "isEmpty"}, 30)}, 50),
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := known()
			if name == "OK any parser" {
				k.References = nil
			}
			problems, _ := rules.Review(dossier.Submission{Rules: c.rules}, k)
			if name == "ErrVeryMany" {
				if len(problems) != 100 {
					t.Errorf("%d problems are told", len(problems))
				}
				return
			}
			var got []string
			for _, p := range problems {
				got = append(got, p.Pointer+" "+string(p.Code))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAssignIDs(t *testing.T) {
	t.Parallel()
	list := []dossier.Rule{{}, {ID: "rul_1"}, {}}
	n := 0
	given := rules.AssignIDs(list, func() string { n++; return fmt.Sprint("rul_new", n) })
	if diff := cmp.Diff([]string{"rul_new1", "rul_new2"}, given); diff != "" {
		t.Error(diff)
	}
	if list[0].ID != "rul_new1" || list[1].ID != "rul_1" || list[2].ID != "rul_new2" {
		t.Errorf("the rules are %v", list)
	}
}
